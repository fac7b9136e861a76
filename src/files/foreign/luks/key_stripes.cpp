#include "files/foreign/luks/key_stripes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/bytes/byte_order.hpp"
#include "files/libcrypto/named_digest.hpp"

namespace phalanx {
namespace {

// H1 replaces each piece of the digest's size by the digest of its number, big-endian, and of the piece.
void diffuse(const NamedDigest& digest, MutableBytes stripe) {
  SecretBytes diffused(digest.num_bytes());
  std::uint32_t number = 0;
  for (std::size_t begin = 0; begin < stripe.size(); begin += diffused.size(), ++number) {
    const MutableBytes piece = stripe.subspan(begin, std::min(diffused.size(), stripe.size() - begin));
    std::array<std::uint8_t, 4> in_front{};
    store_u32(in_front.data(), __builtin_bswap32(number));
    digest.compute({in_front, piece}, diffused);
    std::copy_n(diffused.begin(), piece.size(), piece.begin());
  }
}

void add_stripe(Bytes stripe, MutableBytes sum) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = static_cast<std::uint8_t>(sum[i] ^ stripe[i]);
}

}  // namespace

SecretBytes merge_stripes(Bytes material, std::size_t key_bytes, std::size_t num_stripes, const std::string& hash) {
  const NamedDigest digest(hash);
  SecretBytes key(key_bytes);
  for (std::size_t i = 0; i < num_stripes; ++i) {
    add_stripe(material.subspan(i * key_bytes, key_bytes), key);
    if (i + 1 < num_stripes) diffuse(digest, key);
  }
  return key;
}

}  // namespace phalanx
