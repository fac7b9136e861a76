// Keys wrapped under keys (RFC 3394, RFC 3217), and a key that follows from an agreed secret (X9.63, HKDF).
#pragma once

#include <optional>
#include <phalanx/bytes.hpp>
#include <string>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

enum class KeyWrap : unsigned char { aes_128, aes_192, aes_256, triple_des };

/// Returns the size of the key that wraps others.
[[nodiscard]] std::size_t key_bytes_of(KeyWrap wrap);

/// Unwraps a key by AES (RFC 3394) or triple DES (RFC 3217); nothing where its check does not fit. `key` has key_bytes_of
/// bytes. Throws Error (runtime) where libcrypto has no such wrap.
[[nodiscard]] std::optional<SecretBytes> unwrap_key(KeyWrap wrap, Bytes key, Bytes wrapped);

/// The ways in which a key follows from a secret that two keys agreed on.
enum class AgreedDerivation : unsigned char {
  x963,  ///< of SEC 1, section 3.6.1
  hkdf   ///< RFC 5869, without a salt
};

/// `digest` is libcrypto's name. Throws Error (runtime).
void derive_from_agreed(AgreedDerivation derivation, const std::string& digest, Bytes secret, Bytes info, MutableBytes out);

}  // namespace phalanx
