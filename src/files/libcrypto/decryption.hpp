// A message decrypted by a cipher of libcrypto, for old data in ciphers that the engine does not have.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <phalanx/bytes.hpp>
#include <string>

#include "files/libcrypto/legacy_provider.hpp"

namespace phalanx {

class LibcryptoDecryption {
 public:
  /// `name` is libcrypto's, in any case: "bf-cbc". `iv` is empty where the cipher has none. libcrypto keeps and wipes a
  /// copy of the key. Throws Error (runtime) where the provider cannot be loaded, or this libcrypto has no such cipher.
  LibcryptoDecryption(const std::string& name, Provider provider, Bytes key, Bytes iv);

  /// The next bytes of the message, in place: whole blocks, where the cipher has blocks. Throws Error (runtime).
  void decrypt(MutableBytes text);

 private:
  struct ContextFree {
    void operator()(EVP_CIPHER_CTX* context) const;
  };

  std::string name_;
  std::unique_ptr<EVP_CIPHER_CTX, ContextFree> context_;
};

}  // namespace phalanx
