// People give recipients and identities as a text, or as a file with one in each line. Empty lines say nothing, and
// neither do lines that start with '#'.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

struct AgeRecipient {
  std::string text;    ///< "age1..."
  std::string plugin;  ///< the NAME of its plugin in small letters; "" for a key that we know ourselves
};

struct AgeIdentity {
  SecretBytes text;    ///< "AGE-SECRET-KEY-1...", or "AGE-PLUGIN-NAME-1..."
  std::string plugin;  ///< as above
};

/// Throws Error (usage): what it is and what to do, for keys of SSH, for a wrong character, for what is none at all.
[[nodiscard]] AgeRecipient read_age_recipient(std::string_view text);

/// Reads an identity in this way. The Error repeats nothing of it.
[[nodiscard]] AgeIdentity read_age_identity(std::string_view text);

/// Read all of a file, which names 1 at least. Throw Error (usage) with `name` and the line's number.
[[nodiscard]] std::vector<AgeRecipient> read_recipients_file(std::string_view content, const std::string& name);
[[nodiscard]] std::vector<AgeIdentity> read_identity_file(std::string_view content, const std::string& name);

/// `text`, a message that may repeat what somebody gave as a file's name, without the identities in it: "AGE-SECRET-KEY-..."
/// stands in the place of one.
[[nodiscard]] std::string without_identities(std::string_view text);

}  // namespace phalanx
