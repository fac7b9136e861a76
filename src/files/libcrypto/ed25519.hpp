// Signatures are Ed25519 (RFC 8032), by libcrypto.
#pragma once

#include <cstddef>
#include <phalanx/bytes.hpp>

namespace phalanx {

inline constexpr std::size_t ed25519_key_bytes = 32;  ///< of a private and of a public key
inline constexpr std::size_t ed25519_signature_bytes = 64;

/// The public key of a private one, which is any 32 random bytes. libcrypto wipes its own copy. Throws Error (runtime).
void find_ed25519_public_key(Bytes private_key, MutableBytes public_key);

/// Throws Error (runtime).
void sign_ed25519(Bytes private_key, Bytes message, MutableBytes signature);

/// Returns whether the signature is that of the message under this key. Returns false if the key is no key, too. Throws
/// Error (runtime) where libcrypto fails.
[[nodiscard]] bool is_signed_ed25519(Bytes public_key, Bytes message, Bytes signature);

}  // namespace phalanx
