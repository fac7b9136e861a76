#include "files/libcrypto/key_wrapping.hpp"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <climits>
#include <memory>
#include <phalanx/error.hpp>

#include "engine/host/libcrypto.hpp"

namespace phalanx {
namespace {

struct WrapFree {
  void operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  void operator()(EVP_KDF* kdf) const { EVP_KDF_free(kdf); }
  void operator()(EVP_KDF_CTX* context) const { EVP_KDF_CTX_free(context); }
};

struct KnownWrap {
  const char* name;
  std::size_t key_bytes;
};

constexpr KnownWrap known_wraps[] = {{"AES-128-WRAP", 16}, {"AES-192-WRAP", 24}, {"AES-256-WRAP", 32}, {"DES3-WRAP", 24}};

const KnownWrap& known(KeyWrap wrap) { return known_wraps[static_cast<std::size_t>(wrap)]; }

}  // namespace

std::size_t key_bytes_of(KeyWrap wrap) { return known(wrap).key_bytes; }

std::optional<SecretBytes> unwrap_key(KeyWrap wrap, Bytes key, Bytes wrapped) {
  constexpr std::size_t most_wrapped_bytes = 4096;  // of a key that is wrapped
  constexpr std::size_t block_bytes = 8;
  require_libcrypto();
  const std::unique_ptr<EVP_CIPHER, WrapFree> cipher(EVP_CIPHER_fetch(nullptr, known(wrap).name, nullptr));
  const std::unique_ptr<EVP_CIPHER_CTX, WrapFree> context(EVP_CIPHER_CTX_new());
  if (cipher == nullptr || context == nullptr) {
    ERR_clear_error();
    throw Error(ErrorCode::runtime, std::string("libcrypto could not set up ") + known(wrap).name);
  }
  if (wrapped.size() > most_wrapped_bytes || wrapped.size() % block_bytes != 0 || wrapped.size() < 3 * block_bytes)
    return std::nullopt;
  EVP_CIPHER_CTX_set_flags(context.get(), EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
  SecretBytes plain(wrapped.size() + 2 * block_bytes);
  int num_bytes = 0;
  const bool is_unwrapped =
      EVP_DecryptInit_ex2(context.get(), cipher.get(), key.data(), nullptr, nullptr) == 1 &&
      EVP_DecryptUpdate(context.get(), plain.data(), &num_bytes, wrapped.data(), static_cast<int>(wrapped.size())) == 1;
  ERR_clear_error();
  if (!is_unwrapped || num_bytes <= 0) return std::nullopt;
  plain.shrink(static_cast<std::size_t>(num_bytes));
  return plain;
}

void derive_from_agreed(AgreedDerivation derivation, const std::string& digest, Bytes secret, Bytes info, MutableBytes out) {
  require_libcrypto();
  const char* const name = derivation == AgreedDerivation::x963 ? "X963KDF" : "HKDF";
  const std::unique_ptr<EVP_KDF, WrapFree> kdf(EVP_KDF_fetch(nullptr, name, nullptr));
  const std::unique_ptr<EVP_KDF_CTX, WrapFree> context(EVP_KDF_CTX_new(kdf.get()));
  std::string digest_name = digest;
  const OSSL_PARAM settings[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest_name.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, const_cast<std::uint8_t*>(secret.data()), secret.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, const_cast<std::uint8_t*>(info.data()), info.size()),
      OSSL_PARAM_construct_end(),
  };
  if (context != nullptr && EVP_KDF_derive(context.get(), out.data(), out.size(), settings) == 1) return;
  ERR_clear_error();
  throw Error(ErrorCode::runtime, std::string("libcrypto failed to derive a key by ") + name);
}

}  // namespace phalanx
