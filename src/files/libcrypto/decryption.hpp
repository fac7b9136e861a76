// This decrypts by ciphers of libcrypto, for old data in ciphers that the engine does not have.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <phalanx/bytes.hpp>
#include <string>

#include "files/libcrypto/legacy_provider.hpp"

namespace phalanx {

struct CipherContextFree {
  void operator()(EVP_CIPHER_CTX* context) const;
};
using CipherContextHandle = std::unique_ptr<EVP_CIPHER_CTX, CipherContextFree>;

class LibcryptoDecryption {
 public:
  /// `name` is libcrypto's, in any case: "bf-cbc". `iv` is empty where the cipher has none. libcrypto keeps and wipes a
  /// copy of the key. Throws Error (runtime) where the provider cannot be loaded, or this libcrypto has no such cipher.
  LibcryptoDecryption(const std::string& name, Provider provider, Bytes key, Bytes iv);

  /// The next bytes of the message, in place: whole blocks, where the cipher has blocks. Throws Error (runtime).
  void decrypt(MutableBytes text);

 private:
  std::string name_;
  CipherContextHandle context_;
};

/// A block cipher of libcrypto's default provider, for modes of old data that libcrypto does not have. Any number of threads
/// may use it.
class LibcryptoBlocks {
 public:
  /// `name` is libcrypto's, of ECB: "camellia-256-ecb". Throws as LibcryptoDecryption does.
  LibcryptoBlocks(const std::string& name, Bytes key);

  /// Crypt whole blocks in place. They throw Error (runtime).
  void encrypt(MutableBytes blocks) const;
  void decrypt(MutableBytes blocks) const;

 private:
  void crypt(const CipherContextHandle& keyed, MutableBytes blocks) const;

  std::string name_;
  CipherContextHandle encryption_, decryption_;
};

}  // namespace phalanx
