// AES of every instruction set beyond what kernel_range_test.cpp asks of all kernels: the examples of FIPS 197, its S-box in
// full, and key expansion under many random keys.
#include <algorithm>

#include "core_fixture.hpp"
#include "engine/ciphers/aes/aes_sliced_core.hpp"

namespace phalanx {
namespace {

using ByteVector = std::vector<std::uint8_t>;

class AesCore : public CoreFixture {};

ByteVector counting_bytes(std::size_t size, unsigned factor) {
  ByteVector bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(factor * i);
  return bytes;
}

// FIPS 197 (2001), appendix C.1 to C.3: key 00 01 02 ..., plaintext 00 11 22 ... ff.
TEST_P(AesCore, AgreesWithFips197AppendixC) {
  const ByteVector plaintext = counting_bytes(16, 0x11);
  const ByteVector ciphertext =
      tested.key_bytes == 16
          ? ByteVector{0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a}
      : tested.key_bytes == 24
          ? ByteVector{0xdd, 0xa9, 0x7c, 0xa4, 0x86, 0x4c, 0xdf, 0xe0, 0x6e, 0xaf, 0x70, 0xa0, 0xec, 0x0d, 0x71, 0x91}
          : ByteVector{0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf, 0xea, 0xfc, 0x49, 0x90, 0x4b, 0x49, 0x60, 0x89};
  expand(counting_bytes(tested.key_bytes, 1));
  EXPECT_EQ(ecb(Direction::encrypt, plaintext), ciphertext);
  EXPECT_EQ(ecb(Direction::decrypt, ciphertext), plaintext);
  ByteVector group;  // every lane of a whole group
  for (std::size_t lane = 0; lane < kernel.lanes; ++lane) group.insert(group.end(), plaintext.begin(), plaintext.end());
  const ByteVector encrypted = ecb(Direction::encrypt, group);
  for (std::size_t lane = 0; lane < kernel.lanes; ++lane) {
    EXPECT_TRUE(
        std::equal(ciphertext.begin(), ciphertext.end(), encrypted.begin() + static_cast<std::ptrdiff_t>(16 * lane)));
  }
  EXPECT_EQ(ecb(Direction::decrypt, encrypted), group);
}

// Keys enough that key expansion meets every S-box entry.
TEST_P(AesCore, EqualsTheReferenceUnderManyKeys) { expect_the_reference_under_random_keys(200); }

TEST_P(AesCore, EveryLaneHasItsOwnKey) { expect_the_reference_in_every_lane(10); }

INSTANTIATE_TEST_SUITE_P(All, AesCore, testing::ValuesIn(kernels_of("aes-")), kernel_test_name);

unsigned aes_times(unsigned a, unsigned b) {
  unsigned product = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) product ^= a;
    a = a << 1 ^ ((a & 0x80) != 0 ? 0x11b : 0);
  }
  return product;
}

// SBOX() by its definition, FIPS 197 section 5.1.1.
unsigned aes_s_box_of(unsigned x) {
  unsigned inverse = 0;
  for (unsigned y = 1; y < 256 && x != 0; ++y) {
    if (aes_times(x, y) == 1) inverse = y;
  }
  unsigned s = 0x63;
  for (unsigned shift = 0; shift < 5; ++shift) s ^= (inverse << shift | inverse >> (8 - shift)) & 0xff;
  return s;
}

TEST(AesCircuit, IsTheSBoxAndItsInverse) {
  for (unsigned x = 0; x < 256; ++x) {
    const unsigned s = aes_s_box_of(x);
    Word64 forward[8];
    Word64 backward[8];
    for (unsigned bit = 0; bit < 8; ++bit) {
      forward[bit].bits = 0 - std::uint64_t{x >> bit & 1};
      backward[bit].bits = 0 - std::uint64_t{s >> bit & 1};
    }
    aes_s_box(forward);
    aes_inverse_s_box(backward);
    for (unsigned bit = 0; bit < 8; ++bit) {
      EXPECT_EQ(forward[bit].bits, 0 - std::uint64_t{s >> bit & 1}) << "input " << x << ", bit " << bit;
      EXPECT_EQ(backward[bit].bits, 0 - std::uint64_t{x >> bit & 1}) << "input " << s << ", bit " << bit;
    }
  }
}

}  // namespace
}  // namespace phalanx
