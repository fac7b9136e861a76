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

#include "libcrypto/libcrypto.hpp"
#include "secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

struct MacFree {
  void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};

// HMAC-SHA-512 of one message after another, under one key.
class HmacSha512 {
 public:
  static constexpr std::size_t tag_bytes = 64;

  explicit HmacSha512(Bytes key) {
    const std::unique_ptr<EVP_MAC, MacFree> mac(EVP_MAC_fetch(nullptr, OSSL_MAC_NAME_HMAC, nullptr));
    context_.reset(EVP_MAC_CTX_new(mac.get()));
    char digest[] = "SHA512";
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                     OSSL_PARAM_construct_end()};
    require(context_ != nullptr && EVP_MAC_init(context_.get(), key.data(), key.size(), parameters) == 1);
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

}  // namespace

// T(i) = HMAC(PRK, T(i - 1) || info || i). libcrypto's own HKDF has it too, but takes no info beyond 32 KiB.
void expand_hkdf_sha512(Bytes pseudorandom_key, Bytes info, MutableBytes out) {
  require_libcrypto();
  if (out.size() > 255 * HmacSha512::tag_bytes) throw Error(ErrorCode::usage, "HKDF gives 16320 bytes at most");
  HmacSha512 hmac(pseudorandom_key);
  SecretBytes block(HmacSha512::tag_bytes);
  for (std::uint8_t i = 1; !out.empty(); ++i) {
    const Bytes last = i == 1 ? Bytes() : Bytes(block);
    hmac.compute({last, info, {&i, 1}}, block);
    const std::size_t taken = std::min(out.size(), block.size());
    std::copy_n(block.begin(), taken, out.begin());
    out = out.subspan(taken);
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
