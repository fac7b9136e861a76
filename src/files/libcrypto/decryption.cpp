#include "files/libcrypto/decryption.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <algorithm>
#include <phalanx/error.hpp>

#include "engine/host/libcrypto.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_bytes_at_once = std::size_t{1} << 30;  // libcrypto counts by int; a multiple of every block

struct CipherFree {
  void operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
};
using CipherHandle = std::unique_ptr<EVP_CIPHER, CipherFree>;

CipherHandle fetch_cipher(const std::string& name, Provider provider) {
  require_libcrypto();
  OSSL_LIB_CTX* const context = provider == Provider::legacy ? legacy_context(name) : nullptr;
  CipherHandle cipher(EVP_CIPHER_fetch(context, name.c_str(), nullptr));
  if (cipher != nullptr) return cipher;
  ERR_clear_error();
  throw Error(ErrorCode::runtime, "the libcrypto that is installed here has no " + name + ": another build of OpenSSL may");
}

}  // namespace

void CipherContextFree::operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }

LibcryptoDecryption::LibcryptoDecryption(const std::string& name, Provider provider, Bytes key, Bytes iv) : name_(name) {
  const CipherHandle cipher = fetch_cipher(name, provider);
  const bool fits = static_cast<std::size_t>(EVP_CIPHER_get_key_length(cipher.get())) == key.size() &&
                    static_cast<std::size_t>(EVP_CIPHER_get_iv_length(cipher.get())) == iv.size();
  context_.reset(EVP_CIPHER_CTX_new());
  const bool is_set =
      fits && context_ != nullptr &&
      EVP_DecryptInit_ex2(context_.get(), cipher.get(), key.data(), iv.empty() ? nullptr : iv.data(), nullptr) == 1 &&
      EVP_CIPHER_CTX_set_padding(context_.get(), 0) == 1;
  if (is_set) return;
  ERR_clear_error();
  throw Error(ErrorCode::runtime, "libcrypto could not set up " + name);
}

void LibcryptoDecryption::decrypt(MutableBytes text) {
  while (!text.empty()) {
    const MutableBytes part = text.first(std::min(text.size(), most_bytes_at_once));
    int written = 0;
    const bool is_done =
        EVP_DecryptUpdate(context_.get(), part.data(), &written, part.data(), static_cast<int>(part.size())) == 1;
    if (!is_done || static_cast<std::size_t>(written) != part.size()) {
      ERR_clear_error();
      throw Error(ErrorCode::runtime, "libcrypto failed to decrypt by " + name_);
    }
    text = text.subspan(part.size());
  }
}

LibcryptoBlocks::LibcryptoBlocks(const std::string& name, Bytes key)
    : name_(name), encryption_(EVP_CIPHER_CTX_new()), decryption_(EVP_CIPHER_CTX_new()) {
  const CipherHandle cipher = fetch_cipher(name, Provider::standard);
  const bool fits = static_cast<std::size_t>(EVP_CIPHER_get_key_length(cipher.get())) == key.size();
  const auto set = [&](const CipherContextHandle& context, int is_encryption) {
    return context != nullptr &&
           EVP_CipherInit_ex2(context.get(), cipher.get(), key.data(), nullptr, is_encryption, nullptr) == 1 &&
           EVP_CIPHER_CTX_set_padding(context.get(), 0) == 1;
  };
  if (fits && set(encryption_, 1) && set(decryption_, 0)) return;
  ERR_clear_error();
  throw Error(ErrorCode::runtime, "libcrypto could not set up " + name);
}

// A context has a state of its own, so that each call has a copy.
void LibcryptoBlocks::crypt(const CipherContextHandle& keyed, MutableBytes blocks) const {
  const CipherContextHandle context(EVP_CIPHER_CTX_new());
  int written = 0;
  const bool is_done =
      context != nullptr && EVP_CIPHER_CTX_copy(context.get(), keyed.get()) == 1 &&
      EVP_CipherUpdate(context.get(), blocks.data(), &written, blocks.data(), static_cast<int>(blocks.size())) == 1;
  if (is_done && static_cast<std::size_t>(written) == blocks.size()) return;
  ERR_clear_error();
  throw Error(ErrorCode::runtime, "libcrypto failed to compute " + name_);
}

void LibcryptoBlocks::encrypt(MutableBytes blocks) const { crypt(encryption_, blocks); }
void LibcryptoBlocks::decrypt(MutableBytes blocks) const { crypt(decryption_, blocks); }

}  // namespace phalanx
