// HKDF (RFC 5869) by libcrypto's HMAC: its step of expansion, for any digest.
#pragma once

#include <initializer_list>
#include <memory>
#include <phalanx/bytes.hpp>

#include "engine/host/libcrypto.hpp"

struct evp_mac_ctx_st;

namespace phalanx {

struct HkdfDigest {
  const char* name;  ///< libcrypto's
  std::size_t num_bytes;
};
inline constexpr HkdfDigest hkdf_sha256{"SHA256", 32};
inline constexpr HkdfDigest hkdf_sha512{"SHA512", 64};
inline constexpr std::size_t most_hkdf_digest_bytes = 64;

/// Computes HMAC (RFC 2104), by SHA-256 or SHA-512, of one message after another, under one key. Throws Error (runtime) if
/// libcrypto fails.
class HkdfMac {
 public:
  HkdfMac(const HkdfDigest& digest, Bytes key);

  /// The message is these parts, one after another; `tag` is the digest's num_bytes long.
  void compute(std::initializer_list<Bytes> parts, MutableBytes tag);

 private:
  struct Free {
    void operator()(evp_mac_ctx_st* context) const;
  };
  using Context = std::unique_ptr<evp_mac_ctx_st, Free>;

  static Context new_context(const HkdfDigest& digest);
  static const evp_mac_ctx_st* kept_context(const HkdfDigest& digest);

  Context context_;
};

/// T(1) || T(2) || ..., cut to out.size() bytes (section 2.3). Throws Error (usage) if these are more than 255 digests.
void expand_hkdf(const HkdfDigest& digest, Bytes pseudorandom_key, Bytes info, MutableBytes out);

}  // namespace phalanx
