// GHASH's arithmetic as GPUs do it, on the host, against the reference.
#include "engine/modes/ghash_tables.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <random>
#include <vector>

#include "engine/lanes/lane_tables.hpp"
#include "engine/modes/device_batches/ghash_matrices.hpp"
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
    ASSERT_EQ(block_of(ghash_square(element_of(b))), reference::gf128_multiply(b, b));
  }
  GcmBlock ones;
  ones.fill(0xff);  // the most that can meet in one bit of an integer product
  EXPECT_EQ(block_of(ghash_multiply(element_of(ones), element_of(ones))), reference::gf128_multiply(ones, ones));
}

TEST_F(GhashArithmetic, MultipliesThroughTablesOfBytes) { expect_products_by_tables<8>(); }

TEST_F(GhashArithmetic, MultipliesThroughTablesOfHalfBytes) { expect_products_by_tables<4>(); }

// Products of binary matrices, lane by lane, made bit by bit.

// A warp: what each lane has.
using Words = std::array<std::uint32_t, 32>;
using Matrix = std::vector<GhashMatrix>;

Matrix matrix_of(const GcmBlock& element) {
  Matrix lanes;
  for (unsigned lane = 0; lane < 32; ++lane) lanes.emplace_back(element_of(element), lane);
  return lanes;
}

// mma.m16n8k256 for .b1 with .and.popc, by the fragments that the PTX ISA has: rows[i] are the lanes' words of rows l / 4 and
// l / 4 + 8 of the first 128 bits, then of the others.
void count_ones(const std::array<Words, 4>& rows, const Matrix& first, const Matrix& second, unsigned tile, unsigned lane,
                std::uint32_t counts[4]) {
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = i / 2;  // of the lane's two
    const unsigned column = lane % 4 * 2 + i % 2;
    unsigned ones = 0;
    for (unsigned word = 0; word < 4; ++word) {
      const unsigned of_row = lane / 4 * 4 + word;
      const unsigned of_column = column * 4 + word;
      ones += static_cast<unsigned>(std::popcount(rows[row][of_row] & first[of_column].tile[tile]));
      ones += static_cast<unsigned>(std::popcount(rows[2 + row][of_row] & second[of_column].tile[tile]));
    }
    EXPECT_LE(ones, 255U);
    counts[i] = ones;
  }
}

class GhashMatrices : public GhashArithmetic {
 protected:
  static void put(std::array<Words, 4>& rows, unsigned half, unsigned row, const GcmBlock& block) {
    for (unsigned word = 0; word < 4; ++word)
      std::memcpy(&rows[2 * half + row / 8][row % 8 * 4 + word], block.data() + 4 * word, 4);
  }
  static GcmBlock sum(GcmBlock a, const GcmBlock& b) {
    for (std::size_t i = 0; i < 16; ++i) a[i] ^= b[i];
    return a;
  }

  // Row r of the product is x[r] * first + y[r] * second.
  static void expect_products(const std::vector<GcmBlock>& x, const std::vector<GcmBlock>& y, const GcmBlock& first,
                              const GcmBlock& second) {
    std::array<Words, 4> rows{};
    for (unsigned row = 0; row < ghash_matrix_rows; ++row) {
      put(rows, 0, row, x[row]);
      put(rows, 1, row, y[row]);
    }
    const Matrix by_first = matrix_of(first), by_second = matrix_of(second);
    std::array<Words, 4> products{};
    for (unsigned lane = 0; lane < 32; ++lane) {
      const GhashRows got = ghash_matrix_product(
          [&](unsigned tile, std::uint32_t counts[4]) { count_ones(rows, by_first, by_second, tile, lane, counts); });
      products[0][lane] = got.word[0];
      products[1][lane] = got.word[1];
    }
    std::array<Words, 4> expected{};
    for (unsigned row = 0; row < ghash_matrix_rows; ++row)
      put(expected, 0, row, sum(reference::gf128_multiply(x[row], first), reference::gf128_multiply(y[row], second)));
    EXPECT_EQ(products, expected);
  }
};

TEST_F(GhashMatrices, ProductsEqualTheReference) {
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<GcmBlock> x, y;
    for (unsigned row = 0; row < ghash_matrix_rows; ++row) {
      x.push_back(random_block());
      y.push_back(random_block());
    }
    expect_products(x, y, random_block(), random_block());
  }
}

// Every power of x by every other: each bit of the matrix by itself. And the elements whose matrices are the fullest, one for
// each bit of the product, beside others.
TEST_F(GhashMatrices, EveryBitEqualsTheReference) {
  GcmBlock ones;
  ones.fill(0xff);
  for (unsigned exponent = 0; exponent < 128; ++exponent) {
    for (unsigned first = 0; first < 128; first += ghash_matrix_rows) {
      std::vector<GcmBlock> x, y;
      for (unsigned row = 0; row < ghash_matrix_rows; ++row) {
        x.push_back(power_of_x(first + row));
        y.push_back(row % 2 == 0 ? ones : GcmBlock{});
      }
      expect_products(x, y, power_of_x(exponent), random_block());
    }
  }
  expect_products(std::vector<GcmBlock>(16, ones), std::vector<GcmBlock>(16, ones), GcmBlock{}, power_of_x(0));
}

}  // namespace
}  // namespace phalanx
