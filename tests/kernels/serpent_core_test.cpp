// Serpent of every instruction set beyond what kernel_range_test.cpp asks of all kernels: its S-box circuits in full, many
// random keys, and what its key schedule promises of short keys.
#include "engine/ciphers/serpent/serpent_core.hpp"

#include "core_fixture.hpp"

namespace phalanx {
namespace {

class SerpentKernel : public CoreFixture {};

TEST_P(SerpentKernel, EqualsTheReferenceUnderManyKeys) { expect_the_reference_under_random_keys(60); }

TEST_P(SerpentKernel, EveryLaneHasItsOwnKey) { expect_the_reference_in_every_lane(4); }

// Section 4 of the paper: a short key is filled up to 256 bits with a one and zeros, so both make the same expanded key.
TEST_P(SerpentKernel, AShortKeyIsALongKeyFilledUp) {
  ByteVector key = random_bytes(tested.key_bytes);
  expand(key);
  const ByteVector in = random_bytes(16 * (kernel.lanes + 1));
  const ByteVector out = ecb(Direction::encrypt, in);
  if (key.size() < 32) key.push_back(1);
  key.resize(32);
  expand(key);
  EXPECT_EQ(ecb(Direction::encrypt, in), out);
}

INSTANTIATE_TEST_SUITE_P(All, SerpentKernel, testing::ValuesIn(kernels_of("serpent-")), kernel_test_name);

// The S-boxes as the submission prints them (appendix A).
constexpr unsigned s_boxes[8][16] = {
    {3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12}, {15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4},
    {8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2}, {0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14},
    {1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13}, {15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1},
    {7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0}, {1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6}};

// Bits 0 to 15 of the four words hold the nibbles y[0] to y[15].
void set_nibbles(Word32 x[4], const unsigned y[16]) {
  for (unsigned bit = 0; bit < 4; ++bit) {
    x[bit].bits = 0;
    for (unsigned i = 0; i < 16; ++i) x[bit].bits |= (y[i] >> bit & 1U) << i;
  }
}

template <template <unsigned, Direction> class Box, unsigned box>
void expect_box() {
  unsigned numbers[16];
  for (unsigned i = 0; i < 16; ++i) numbers[i] = i;
  Word32 input[4];
  Word32 output[4];
  set_nibbles(input, numbers);
  set_nibbles(output, s_boxes[box]);
  Word32 x[4] = {input[0], input[1], input[2], input[3]};
  Box<box, Direction::encrypt>::apply(x);
  for (unsigned bit = 0; bit < 4; ++bit) EXPECT_EQ(x[bit].bits & 0xffff, output[bit].bits) << "S" << box << ", bit " << bit;
  Box<box, Direction::decrypt>::apply(x);
  for (unsigned bit = 0; bit < 4; ++bit) {
    EXPECT_EQ(x[bit].bits & 0xffff, input[bit].bits) << "inverse of S" << box << ", bit " << bit;
  }
}

template <template <unsigned, Direction> class Box>
void expect_boxes() {
  expect_box<Box, 0>();
  expect_box<Box, 1>();
  expect_box<Box, 2>();
  expect_box<Box, 3>();
  expect_box<Box, 4>();
  expect_box<Box, 5>();
  expect_box<Box, 6>();
  expect_box<Box, 7>();
}

TEST(SerpentCircuits, AreTheSBoxesAndTheirInverses) {
  expect_boxes<SerpentBox>();
  expect_boxes<SerpentTwoInputBox>();
}

}  // namespace
}  // namespace phalanx
