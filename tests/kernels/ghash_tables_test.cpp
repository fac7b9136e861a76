// GHASH's arithmetic as GPUs do it, on the host, against the reference.
#include "modes/ghash_tables.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "lanes/lane_tables.hpp"
#include "reference/plain_gcm.hpp"

namespace phalanx {
namespace {

using reference::GcmBlock;

GhashElement element_of(const GcmBlock& block) {
  std::uint32_t words[4];
  std::memcpy(words, block.data(), 16);
  return ghash_element(words);
}
GcmBlock block_of(GhashElement x) {
  const GhashElement reversed = ghash_element(x.word);
  GcmBlock block;
  std::memcpy(block.data(), reversed.word, 16);
  return block;
}

class GhashArithmetic : public testing::Test {
 protected:
  std::mt19937_64 random{91};

  GcmBlock random_block() {
    GcmBlock block;
    for (std::uint8_t& byte : block) byte = static_cast<std::uint8_t>(random());
    return block;
  }
  static GcmBlock power_of_x(unsigned exponent) {
    GcmBlock block{};
    block[exponent / 8] = static_cast<std::uint8_t>(0x80 >> exponent % 8);
    return block;
  }

  template <unsigned digit_bits>
  void expect_products_by_tables() {
    using Tables = LaneTablesOf<1U << digit_bits>;
    std::vector<std::uint8_t> memory(Tables::bytes_of(4), 0xa5);
    for (int trial = 0; trial < 5; ++trial) {
      const GcmBlock fixed = random_block();
      const typename GhashTimes<digit_bits, Tables>::Multiples multiples(element_of(fixed));
      GhashTimes<digit_bits, Tables> times{Tables::template fill<4>(
          memory.data(), [&multiples](unsigned v, std::uint32_t words[4]) { multiples.entry(v, words); })};
      for (unsigned i = 0; i < 256; ++i) {
        times.tables.lane_bytes = 4 * (i % 32);
        const GcmBlock x = i < 128 ? power_of_x(i) : random_block();
        ASSERT_EQ(block_of(times.of(element_of(x))), reference::gf128_multiply(x, fixed)) << "factor " << i;
      }
    }
  }
};

TEST_F(GhashArithmetic, MultipliesAnyTwoElements) {
  for (unsigned i = 0; i < 128; ++i) {
    const GcmBlock b = random_block();
    const GcmBlock top = power_of_x(127);
    for (const GcmBlock& a : {power_of_x(i), random_block()}) {
      ASSERT_EQ(block_of(ghash_multiply(element_of(a), element_of(b))), reference::gf128_multiply(a, b)) << i;
      ASSERT_EQ(block_of(ghash_multiply(element_of(a), element_of(top))), reference::gf128_multiply(a, top)) << i;
    }
    ASSERT_EQ(block_of(ghash_times_x(element_of(b))), reference::gf128_multiply(b, power_of_x(1)));
  }
  GcmBlock ones;
  ones.fill(0xff);  // the most that can meet in one bit of an integer product
  EXPECT_EQ(block_of(ghash_multiply(element_of(ones), element_of(ones))), reference::gf128_multiply(ones, ones));
}

TEST_F(GhashArithmetic, MultipliesThroughTablesOfBytes) { expect_products_by_tables<8>(); }

TEST_F(GhashArithmetic, MultipliesThroughTablesOfHalfBytes) { expect_products_by_tables<4>(); }

}  // namespace
}  // namespace phalanx
