// A recipient's private key decrypts what was encrypted for it, by RSA, or agrees with another key on a secret.
#pragma once

#include <cstdint>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/libcrypto/private_keys.hpp"

namespace phalanx {

/// Holds the key of a content, or a random one in its place. Only the caller may learn which.
struct TransportedKey {
  SecretBytes key;
  bool fits = false;  ///< it was encrypted, and has the right length
};

/// Decrypts by RSAES-PKCS1-v1_5 (RFC 8017, section 7.2). If that gives no key of key_bytes, the result is a random one, by
/// the same steps: a sender of changed messages learns nothing of the private key (RFC 3218). libcrypto's own implicit
/// rejection is on where it has that. Throws Error (runtime) where libcrypto fails otherwise.
[[nodiscard]] TransportedKey decrypt_rsa_pkcs1(const PrivateKey& key, Bytes encrypted, std::size_t key_bytes);

/// Holds the parameters of RSAES-OAEP (RFC 8017, section 7.1).
struct OaepParameters {
  std::string digest = "SHA1";
  std::string mask_digest = "SHA1";
  std::vector<std::uint8_t> label{};
};

/// Decrypts by RSAES-OAEP; nothing where that fails.
[[nodiscard]] std::optional<SecretBytes> decrypt_rsa_oaep(const PrivateKey& key, const OaepParameters& parameters,
                                                          Bytes encrypted);

/// Computes the secret that a key of a curve, or of X25519, has in common with a public one, which is a point as its curve
/// encodes it. Nothing where that is no point of the curve. `with_cofactor` is of curves.
[[nodiscard]] std::optional<SecretBytes> agree_on_secret(const PrivateKey& key, Bytes public_key, bool with_cofactor);

}  // namespace phalanx
