#include "libcrypto/hkdf.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <phalanx/error.hpp>
#include <string>

#include "libcrypto/libcrypto.hpp"
#include "secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

struct MacFree {
  void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};

struct Digest {
  const char* name;
  std::size_t num_bytes;
};
constexpr Digest sha256{"SHA256", 32};
constexpr Digest sha512{"SHA512", 64};

// HMAC of one message after another, under one key.
class Hmac {
 public:
  Hmac(const Digest& digest, Bytes key) {
    const std::unique_ptr<EVP_MAC, MacFree> mac(EVP_MAC_fetch(nullptr, OSSL_MAC_NAME_HMAC, nullptr));
    context_.reset(EVP_MAC_CTX_new(mac.get()));
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, const_cast<char*>(digest.name), 0),
        OSSL_PARAM_construct_end()};
    const std::uint8_t nothing = 0;  // a null pointer would be no key at all
    const std::uint8_t* const bytes = key.empty() ? &nothing : key.data();
    require(context_ != nullptr && EVP_MAC_init(context_.get(), bytes, key.size(), parameters) == 1);
  }

  // The message is these parts, one after another.
  void compute(std::initializer_list<Bytes> parts, MutableBytes tag) {
    require(EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1);
    for (const Bytes part : parts) require(EVP_MAC_update(context_.get(), part.data(), part.size()) == 1);
    require(EVP_MAC_final(context_.get(), tag.data(), nullptr, tag.size()) == 1);
  }

 private:
  static void require(bool succeeded) {
    if (!succeeded) throw Error(ErrorCode::runtime, "libcrypto failed to derive a key with HKDF");
  }

  std::unique_ptr<EVP_MAC_CTX, MacFree> context_;
};

// T(i) = HMAC(PRK, T(i - 1) || info || i). libcrypto's own HKDF has it too, but takes no info beyond 32 KiB.
void expand(const Digest& digest, Bytes pseudorandom_key, Bytes info, MutableBytes out) {
  if (out.size() > 255 * digest.num_bytes) {
    throw Error(ErrorCode::usage, "HKDF gives " + std::to_string(255 * digest.num_bytes) + " bytes at most");
  }
  Hmac hmac(digest, pseudorandom_key);
  SecretBytes block(digest.num_bytes);
  for (std::uint8_t i = 1; !out.empty(); ++i) {
    const Bytes last = i == 1 ? Bytes() : Bytes(block);
    hmac.compute({last, info, {&i, 1}}, block);
    const std::size_t taken = std::min(out.size(), block.size());
    std::copy_n(block.begin(), taken, out.begin());
    out = out.subspan(taken);
  }
}

void derive(const Digest& digest, Bytes input_key, Bytes salt, Bytes info, MutableBytes out) {
  require_libcrypto();
  SecretBytes pseudorandom_key(digest.num_bytes);
  Hmac(digest, salt).compute({input_key}, pseudorandom_key);
  expand(digest, pseudorandom_key, info, out);
}

}  // namespace

void expand_hkdf_sha512(Bytes pseudorandom_key, Bytes info, MutableBytes out) {
  require_libcrypto();
  expand(sha512, pseudorandom_key, info, out);
}

void derive_hkdf_sha512(Bytes input_key, Bytes salt, Bytes info, MutableBytes out) {
  derive(sha512, input_key, salt, info, out);
}

void derive_hkdf_sha256(Bytes input_key, Bytes salt, Bytes info, MutableBytes out) {
  derive(sha256, input_key, salt, info, out);
}

void compute_sha512(Bytes message, MutableBytes out) {
  require_libcrypto();
  if (out.size() != sha512.num_bytes ||
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
