#include "libcrypto/hkdf.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <climits>
#include <cstdint>
#include <memory>

#include "libcrypto/libcrypto.hpp"

namespace phalanx {
namespace {

struct DerivationFree {
  void operator()(EVP_KDF* derivation) const { EVP_KDF_free(derivation); }
  void operator()(EVP_KDF_CTX* context) const { EVP_KDF_CTX_free(context); }
};

}  // namespace

void expand_hkdf_sha512(Bytes pseudorandom_key, Bytes info, MutableBytes out) {
  require_libcrypto();
  const std::unique_ptr<EVP_KDF, DerivationFree> hkdf(EVP_KDF_fetch(nullptr, OSSL_KDF_NAME_HKDF, nullptr));
  const std::unique_ptr<EVP_KDF_CTX, DerivationFree> context(EVP_KDF_CTX_new(hkdf.get()));
  int mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY;
  char digest[] = "SHA512";
  // The parameters are read only; their type has no const.
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, const_cast<std::uint8_t*>(pseudorandom_key.data()),
                                        pseudorandom_key.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, const_cast<std::uint8_t*>(info.data()), info.size()),
      OSSL_PARAM_construct_end(),
  };
  if (context == nullptr || EVP_KDF_derive(context.get(), out.data(), out.size(), parameters) != 1) {
    throw Error(ErrorCode::runtime, "libcrypto failed to derive a key with HKDF");
  }
}

void compute_hmac_sha512(Bytes key, Bytes message, MutableBytes out) {
  require_libcrypto();
  if (key.size() > INT_MAX || out.size() != 64 ||
      HMAC(EVP_sha512(), key.data(), static_cast<int>(key.size()), message.data(), message.size(), out.data(), nullptr) ==
          nullptr) {
    throw Error(ErrorCode::runtime, "libcrypto failed to compute HMAC-SHA-512");
  }
}

}  // namespace phalanx
