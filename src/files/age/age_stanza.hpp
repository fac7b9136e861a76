// Stanzas: the lines by which age's headers wrap a file key, and in which its plugins talk (c2sp.org/age, "ABNF definition
// of file header"):
//
//   -> ARGUMENT ARGUMENT ...
//   the body, in base64 without padding, in lines of 64 characters, of which the last one is shorter and may be empty
#pragma once

#include <cstddef>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

struct AgeStanza {
  std::vector<std::string> arguments;  ///< 1 at least; the first says what it is
  SecretBytes body;                    ///< between programs it may be a file key
};

/// Returns true for 1 character or more, all of them visible ASCII.
[[nodiscard]] bool is_age_argument(std::string_view text);

/// Returns how many bytes of `text` its first stanza takes, as far as line ends tell. Returns nothing where the text
/// does not end in them.
[[nodiscard]] std::optional<std::size_t> first_stanza_bytes(std::string_view text);

/// Reads the stanza that the text begins with, and leaves in `text` what stands behind it. Throws Error (format), which
/// repeats nothing of it, where it is not exactly as above, or its base64 not canonical.
[[nodiscard]] AgeStanza read_age_stanza(std::string_view& text);

/// Its text, with the last line's end. An argument may be a secret, an identity. Throws Error (usage) for one
/// that is none.
[[nodiscard]] SecretBytes age_stanza_text(const std::vector<std::string_view>& arguments, Bytes body);

/// Secrets as characters.
[[nodiscard]] inline std::string_view characters_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace phalanx
