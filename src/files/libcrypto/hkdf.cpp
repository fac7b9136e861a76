#include "files/libcrypto/hkdf.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <climits>
#include <cstdint>
#include <phalanx/error.hpp>

#include "engine/host/libcrypto_hkdf.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

void derive(const HkdfDigest& digest, Bytes input_key, Bytes salt, Bytes info, MutableBytes out) {
  SecretBytes pseudorandom_key(digest.num_bytes);
  HkdfMac(digest, salt).compute({input_key}, pseudorandom_key);
  expand_hkdf(digest, pseudorandom_key, info, out);
}

}  // namespace

void derive_hkdf_sha512(Bytes input_key, Bytes salt, Bytes info, MutableBytes out) {
  derive(hkdf_sha512, input_key, salt, info, out);
}

void derive_hkdf_sha256(Bytes input_key, Bytes salt, Bytes info, MutableBytes out) {
  derive(hkdf_sha256, input_key, salt, info, out);
}

void compute_sha512(Bytes message, MutableBytes out) {
  require_libcrypto();
  if (out.size() != hkdf_sha512.num_bytes ||
      EVP_Digest(message.data(), message.size(), out.data(), nullptr, EVP_sha512(), nullptr) != 1) {
    throw Error(ErrorCode::runtime, "libcrypto failed to compute SHA-512");
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
