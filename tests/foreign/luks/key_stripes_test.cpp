// Stripes of a key: each of their bits counts.
#include "files/foreign/luks/key_stripes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "files/libcrypto/named_digest.hpp"

namespace phalanx {
namespace {

TEST(KeyStripes, OneStripeIsTheKey) {
  const std::vector<std::uint8_t> stripe = {1, 2, 3, 4, 5};
  EXPECT_TRUE(std::ranges::equal(Bytes(merge_stripes(stripe, stripe.size(), 1, "sha256")), stripe));
}

// A key of 40 bytes under SHA-256 has a second piece of 8 bytes, whose digest is cut.
TEST(KeyStripes, TwoStripesAreTheDigestOfOneAndTheOther) {
  constexpr std::size_t key_bytes = 40;
  std::vector<std::uint8_t> stripes(2 * key_bytes);
  for (std::size_t i = 0; i < stripes.size(); ++i) stripes[i] = static_cast<std::uint8_t>(7 * i);
  const NamedDigest digest("sha256");
  std::vector<std::uint8_t> expected(64);
  const std::vector<std::uint8_t> zero = {0, 0, 0, 0}, one = {0, 0, 0, 1};
  digest.compute({zero, Bytes(stripes).first(32)}, MutableBytes(expected).first(32));
  digest.compute({one, Bytes(stripes).subspan(32, 8)}, MutableBytes(expected).subspan(32));
  expected.resize(key_bytes);
  for (std::size_t i = 0; i < key_bytes; ++i) expected[i] = static_cast<std::uint8_t>(expected[i] ^ stripes[key_bytes + i]);
  EXPECT_TRUE(std::ranges::equal(Bytes(merge_stripes(stripes, key_bytes, 2, "sha256")), expected));
}

TEST(KeyStripes, EveryBitCounts) {
  std::vector<std::uint8_t> stripes(32 * 5, 9);
  const SecretBytes key = merge_stripes(stripes, 32, 5, "sha1");
  for (std::size_t i = 0; i < stripes.size(); i += 13) {
    stripes[i] = static_cast<std::uint8_t>(stripes[i] ^ 4);
    EXPECT_FALSE(std::ranges::equal(Bytes(merge_stripes(stripes, 32, 5, "sha1")), Bytes(key)));
    stripes[i] = static_cast<std::uint8_t>(stripes[i] ^ 4);
  }
}

}  // namespace
}  // namespace phalanx
