// ChaCha20-Poly1305 (RFC 8439) of a few bytes under a key that is used once, as age wraps keys.
#pragma once

#include <cstddef>
#include <optional>
#include <phalanx/bytes.hpp>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

inline constexpr std::size_t chacha20_poly1305_key_bytes = 32;
inline constexpr std::size_t chacha20_poly1305_tag_bytes = 16;

/// Ciphertext || tag, under the nonce of 12 zeros and without associated data: a key seals one message only. Throws Error
/// (runtime) if libcrypto cannot.
[[nodiscard]] std::vector<std::uint8_t> seal_once_chacha20_poly1305(Bytes key, Bytes plain);

/// The plaintext; nothing if it is not authentic.
[[nodiscard]] std::optional<SecretBytes> open_once_chacha20_poly1305(Bytes key, Bytes sealed);

}  // namespace phalanx
