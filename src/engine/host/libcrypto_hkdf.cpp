#include "engine/host/libcrypto_hkdf.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <cstdint>
#include <phalanx/error.hpp>
#include <string>

#include "engine/host/host.hpp"
#include "engine/host/wiped_memory.hpp"

namespace phalanx {
namespace {

void require(bool succeeded) {
  if (!succeeded) throw Error(ErrorCode::runtime, "libcrypto failed to derive a key with HKDF");
}

struct MacFree {
  void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
};

constexpr std::uint8_t nothing = 0;  // a null pointer would be no key at all

}  // namespace

void HkdfMac::Free::operator()(evp_mac_ctx_st* context) const { EVP_MAC_CTX_free(context); }

HkdfMac::Context HkdfMac::new_context(const HkdfDigest& digest) {
  require_libcrypto();
  const std::unique_ptr<EVP_MAC, MacFree> mac(EVP_MAC_fetch(nullptr, OSSL_MAC_NAME_HMAC, nullptr));
  require(mac != nullptr);  // where there is no memory, libcrypto does not look at what it is given next
  Context context(EVP_MAC_CTX_new(mac.get()));
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, const_cast<char*>(digest.name), 0),
      OSSL_PARAM_construct_end()};
  require(context != nullptr && EVP_MAC_init(context.get(), &nothing, 0, parameters) == 1);
  return context;
}

// libcrypto looks a digest up by its name under locks, which takes longer than a short message. So it is looked up once, and
// copied from then on. That copy stays until the process ends, as libcrypto may be gone before our statics are.
const evp_mac_ctx_st* HkdfMac::kept_context(const HkdfDigest& digest) {
  if (digest.num_bytes == hkdf_sha256.num_bytes) {
    static const evp_mac_ctx_st* const sha256 = new_context(hkdf_sha256).release();
    return sha256;
  }
  static const evp_mac_ctx_st* const sha512 = new_context(hkdf_sha512).release();
  return sha512;
}

HkdfMac::HkdfMac(const HkdfDigest& digest, Bytes key) {
  context_.reset(EVP_MAC_CTX_dup(kept_context(digest)));
  const std::uint8_t* const bytes = key.empty() ? &nothing : key.data();
  require(context_ != nullptr && EVP_MAC_init(context_.get(), bytes, key.size(), nullptr) == 1);
}

void HkdfMac::compute(std::initializer_list<Bytes> parts, MutableBytes tag) {
  require(EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1);
  for (const Bytes part : parts) require(EVP_MAC_update(context_.get(), part.data(), part.size()) == 1);
  require(EVP_MAC_final(context_.get(), tag.data(), nullptr, tag.size()) == 1);
}

// This computes T(i) = HMAC(PRK, T(i - 1) || info || i). libcrypto has an HKDF, too, but takes no info beyond 32 KiB.
void expand_hkdf(const HkdfDigest& digest, Bytes pseudorandom_key, Bytes info, MutableBytes out) {
  if (out.size() > 255 * digest.num_bytes) {
    throw Error(ErrorCode::usage, "HKDF gives " + std::to_string(255 * digest.num_bytes) + " bytes at most");
  }
  HkdfMac mac(digest, pseudorandom_key);
  WipedArray<most_hkdf_digest_bytes> memory;
  const MutableBytes block(memory.bytes, digest.num_bytes);
  for (std::uint8_t i = 1; !out.empty(); ++i) {
    const Bytes last = i == 1 ? Bytes() : Bytes(block);
    mac.compute({last, info, {&i, 1}}, block);
    const std::size_t taken = std::min(out.size(), block.size());
    std::copy_n(block.begin(), taken, out.begin());
    out = out.subspan(taken);
  }
}

void expand_hkdf_sha512(Bytes pseudorandom_key, Bytes info, MutableBytes out) {
  expand_hkdf(hkdf_sha512, pseudorandom_key, info, out);
}

}  // namespace phalanx
