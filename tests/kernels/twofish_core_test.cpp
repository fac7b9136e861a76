// Twofish of every instruction set beyond what kernel_range_test.cpp asks of all kernels: its permutations in full, many
// random keys, and the expanded key that the submission prints.
#include "core_fixture.hpp"
#include "engine/ciphers/twofish/twofish_sliced.hpp"

namespace phalanx {
namespace {

class TwofishKernel : public CoreFixture {};

TEST_P(TwofishKernel, EqualsTheReferenceUnderManyKeys) { expect_the_reference_under_random_keys(40); }

TEST_P(TwofishKernel, EveryLaneHasItsOwnKey) { expect_the_reference_in_every_lane(3); }

INSTANTIATE_TEST_SUITE_P(All, TwofishKernel, testing::ValuesIn(kernels_of("twofish-")), kernel_test_name);

class Twofish128Kernel : public CoreFixture {};

// ecb_ival.txt of the submission: the whitening words of the 128-bit key of zeros. Every schedule begins with K.
TEST_P(Twofish128Kernel, ExpandsTheKeyOfTheSubmission) {
  expand(ByteVector(16));
  const std::uint32_t printed[8] = {0x52c54dde, 0x11f0626d, 0x7cac9d4a, 0x4d1b4aaa,
                                    0xb7b83a10, 0x1e7d0beb, 0xee9c341f, 0xcfe14be4};
  EXPECT_EQ(std::memcmp(schedule.get(), printed, sizeof printed), 0);
}

INSTANTIATE_TEST_SUITE_P(All, Twofish128Kernel, testing::ValuesIn(kernels_of("twofish-128")), kernel_test_name);

// Section 4.3.5 of the paper, step by step.
template <unsigned q>
unsigned permuted(unsigned x) {
  const auto ror4 = [](unsigned nibble) { return (nibble >> 1 | nibble << 3) & 15; };
  unsigned a = x / 16;
  unsigned b = x % 16;
  for (unsigned step = 0; step < 2; ++step) {
    const unsigned mixed_a = a ^ b;
    const unsigned mixed_b = (a ^ ror4(b) ^ 8 * a) % 16;
    a = twofish_t[q][2 * step][mixed_a];
    b = twofish_t[q][2 * step + 1][mixed_b];
  }
  return 16 * b + a;
}

// Multiplication in the field of the MDS matrix, section 4.2.
unsigned times(unsigned factor, unsigned y) {
  unsigned product = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if ((y >> i & 1) != 0) product ^= factor << i;
  }
  for (unsigned i = 15; i >= 8; --i) {
    if ((product >> i & 1) != 0) product ^= 0x169U << (i - 8);
  }
  return product;
}

// Lane j of a sliced byte.
unsigned lane(const SlicedByte& x, unsigned j) {
  unsigned byte = 0;
  for (unsigned i = 0; i < 8; ++i) byte |= static_cast<unsigned>(x.bit[i].bits[j / 64] >> j % 64 & 1) << i;
  return byte;
}

template <unsigned q>
void expect_permutation() {
  for (unsigned x = 0; x < 256; ++x) {
    const unsigned y = permuted<q>(x);
    const unsigned expected[3] = {y, times(0x5b, y), times(0xef, y)};
    const TwofishProducts<std::uint32_t> number = TwofishNumbers::finish<q>(x);
    EXPECT_EQ(number.y, expected[0]) << "q" << q << "(" << x << ")";
    EXPECT_EQ(number.y_5b, expected[1]) << "q" << q << "(" << x << ")";
    EXPECT_EQ(number.y_ef, expected[2]) << "q" << q << "(" << x << ")";
    const unsigned other = 255 - x;
    const SlicedByte even_and_odd = TwofishSlices::alternate(static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(other));
    const TwofishProducts<SlicedByte> sliced = TwofishSlices::finish<q>(even_and_odd);
    for (const unsigned j : {0U, 62U, 64U, 126U}) {
      EXPECT_EQ(lane(sliced.y, j), expected[0]) << "q" << q << "(" << x << "), lane " << j;
      EXPECT_EQ(lane(sliced.y_5b, j), expected[1]) << "q" << q << "(" << x << "), lane " << j;
      EXPECT_EQ(lane(sliced.y_ef, j), expected[2]) << "q" << q << "(" << x << "), lane " << j;
      EXPECT_EQ(lane(sliced.y, j + 1), permuted<q>(other)) << "q" << q << "(" << other << "), lane " << j + 1;
    }
  }
}

TEST(TwofishPermutations, AreThoseOfThePaper) {
  expect_permutation<0>();
  expect_permutation<1>();
}

// Section 4.3.5 prints no values of q0 and q1 themselves; that they are permutations at all is a check of their tables.
TEST(TwofishPermutations, MapToEveryByte) {
  bool seen[2][256] = {};
  for (unsigned x = 0; x < 256; ++x) {
    seen[0][permuted<0>(x)] = true;
    seen[1][permuted<1>(x)] = true;
  }
  for (unsigned y = 0; y < 256; ++y) EXPECT_TRUE(seen[0][y] && seen[1][y]) << y;
}

}  // namespace
}  // namespace phalanx
