// Private keys of recipients, read from the files in which programs keep them.
#pragma once

#include <openssl/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <phalanx/bytes.hpp>

#include "engine/secrets/secret_bytes.hpp"
#include "files/libcrypto/certificates.hpp"

namespace phalanx {

/// Returns the passphrase of a private key. It is called only for a key that has one.
using AskPassphrase = std::function<SecretBytes()>;

class PrivateKey {
 public:
  enum class Kind : unsigned char { rsa, elliptic, x25519, other };

  PrivateKey(std::shared_ptr<EVP_PKEY> key, OSSL_LIB_CTX* context) : key_(std::move(key)), context_(context) {}

  [[nodiscard]] Kind kind() const;
  /// Returns the size of an RSA modulus in bytes, and of other keys what libcrypto calls their size.
  [[nodiscard]] std::size_t num_bytes() const;
  /// Returns whether the certificate has the public key of this one.
  [[nodiscard]] bool is_of(const Certificate& certificate) const;

  [[nodiscard]] EVP_PKEY* handle() const { return key_.get(); }
  [[nodiscard]] OSSL_LIB_CTX* context() const { return context_; }  ///< nullptr: libcrypto's own

 private:
  std::shared_ptr<EVP_PKEY> key_;
  OSSL_LIB_CTX* context_;
};

/// A private key, and its certificate where the same file has that.
struct KeyWithCertificate {
  PrivateKey key;
  std::optional<Certificate> certificate;
};

/// Reads PEM (PKCS #8 and older forms), DER (the same) or PKCS #12 (RFC 7292), which its bytes tell apart. libcrypto keeps
/// and wipes copies of its own. Throws Error: format where no private key is in it, wrong_key where the passphrase does not
/// open it, and what `ask` throws.
[[nodiscard]] KeyWithCertificate read_private_key(Bytes content, const AskPassphrase& ask);

}  // namespace phalanx
