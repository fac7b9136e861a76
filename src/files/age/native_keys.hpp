// The keys of age that we know ourselves, X25519 (c2sp.org/age, "The X25519 recipient type"): "age1..." for whom something
// is sealed, "AGE-SECRET-KEY-1..." for who opens it.
#pragma once

#include <cstddef>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/age/age_stanza.hpp"
#include "files/libcrypto/x25519.hpp"

namespace phalanx {

inline constexpr std::size_t age_file_key_bytes = 16;
/// The text of a stanza that wraps a file key for such a key has so many bytes.
inline constexpr std::size_t native_stanza_bytes = 98;

/// Throws Error (usage) if it is no "age1..." of 32 bytes, or a point of low order, with which nobody shares a secret.
[[nodiscard]] X25519PublicKey read_native_recipient(std::string_view text);
[[nodiscard]] std::string native_recipient_text(const X25519PublicKey& recipient);

/// Returns the 32 bytes of "AGE-SECRET-KEY-1...". Throws Error (usage), which repeats nothing of the text, if it is no
/// identity.
[[nodiscard]] SecretBytes read_native_identity(std::string_view text);
[[nodiscard]] SecretBytes native_identity_text(Bytes identity);

/// The text of a stanza that wraps the file key, with an ephemeral secret from fill_random.
[[nodiscard]] std::string wrap_file_key(const X25519PublicKey& recipient, Bytes file_key);

/// Throws Error (format) for a stanza of X25519 that unwrap_file_key refuses whatever the identity. Looks at no other type.
void check_native_stanza(const AgeStanza& stanza);

/// The file key; nothing if the stanza is of another type, or for another key. Throws Error (format) for a stanza of this
/// type that is not as its standard has it.
[[nodiscard]] std::optional<SecretBytes> unwrap_file_key(Bytes identity, const AgeStanza& stanza);

}  // namespace phalanx
