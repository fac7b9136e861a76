// This is Diffie-Hellman over Curve25519 (RFC 7748, section 6.1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <phalanx/bytes.hpp>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

inline constexpr std::size_t x25519_bytes = 32;  ///< of a secret, a public key, and of what they share
using X25519PublicKey = std::array<std::uint8_t, x25519_bytes>;

/// Returns the public key of a secret of x25519_bytes. Throws Error (runtime) if libcrypto cannot.
[[nodiscard]] X25519PublicKey x25519_public_key(Bytes secret);

/// Returns the secret that the holders of `secret` and of `public_key` share. If `public_key` is a point of low order,
/// this is all zeros, whatever `secret` is. Then they share no secret, and it returns nothing. Throws Error (runtime)
/// if libcrypto cannot.
[[nodiscard]] std::optional<SecretBytes> x25519_shared_secret(Bytes secret, const X25519PublicKey& public_key);

}  // namespace phalanx
