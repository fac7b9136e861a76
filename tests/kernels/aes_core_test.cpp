// AES of every instruction set beyond what kernel_range_test.cpp asks of all kernels: the examples of FIPS 197, its S-box in
// full, and key expansion under many random keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "ciphers/aes_sliced_core.hpp"
#include "kernel_list.hpp"
#include "reference/reference.hpp"

namespace phalanx {
namespace {

using ByteVector = std::vector<std::uint8_t>;

struct alignas(64) AesKeyMemory {
  std::uint8_t bytes[64 * 1024];
};

class AesCore : public testing::TestWithParam<TestedKernel> {
 protected:
  const TestedKernel& tested = GetParam();
  const Kernel& kernel = *tested.kernel;
  std::mt19937_64 random{197};
  std::unique_ptr<AesKeyMemory> schedule = std::make_unique<AesKeyMemory>();
  std::unique_ptr<AesKeyMemory> lane_schedules = std::make_unique<AesKeyMemory>();

  void SetUp() override {
    ASSERT_LE(kernel.schedule_bytes, sizeof(AesKeyMemory));
    ASSERT_LE(kernel.lane_schedules_bytes, sizeof(AesKeyMemory));
  }

  ByteVector random_bytes(std::size_t size) {
    ByteVector bytes(size);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  }
  void expand(const ByteVector& key) { kernel.expand_key(key.data(), key.size(), schedule.get()); }

  ByteVector ecb(Direction direction, const ByteVector& in) const {
    ByteVector out(in.size());
    std::uint8_t no_iv[16] = {};
    kernel.range[static_cast<int>(Mode::ecb)][static_cast<int>(direction)](schedule.get(), no_iv, in.data(), out.data(),
                                                                           in.size() / 16);
    return out;
  }
};

ByteVector counting_bytes(std::size_t size, unsigned factor) {
  ByteVector bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(factor * i);
  return bytes;
}

/// FIPS 197 (2001), appendix C.1 to C.3: key 00 01 02 ..., plaintext 00 11 22 ... ff.
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
  std::vector<std::uint8_t> group;  // every lane of a whole group
  for (std::size_t lane = 0; lane < kernel.lanes; ++lane) group.insert(group.end(), plaintext.begin(), plaintext.end());
  const ByteVector encrypted = ecb(Direction::encrypt, group);
  for (std::size_t lane = 0; lane < kernel.lanes; ++lane) {
    EXPECT_TRUE(
        std::equal(ciphertext.begin(), ciphertext.end(), encrypted.begin() + static_cast<std::ptrdiff_t>(16 * lane)));
  }
  EXPECT_EQ(ecb(Direction::decrypt, encrypted), group);
}

/// One block (crypt_block) and a whole group (crypt), both ways, under keys enough that key expansion meets every S-box entry.
TEST_P(AesCore, EqualsTheReferenceUnderManyKeys) {
  for (int trial = 0; trial < 200; ++trial) {
    const ByteVector key = random_bytes(tested.key_bytes);
    const auto cipher = reference::make_cipher(tested.cipher, key);
    expand(key);
    for (const std::size_t num_blocks : {std::size_t{1}, kernel.lanes}) {
      const ByteVector in = random_bytes(16 * num_blocks);
      ByteVector encrypted(in.size());
      ByteVector decrypted(in.size());
      for (std::size_t i = 0; i < in.size(); i += 16) {
        cipher->encrypt_block(in.data() + i, encrypted.data() + i);
        cipher->decrypt_block(in.data() + i, decrypted.data() + i);
      }
      ASSERT_EQ(ecb(Direction::encrypt, in), encrypted) << "trial " << trial << ", " << num_blocks << " blocks";
      ASSERT_EQ(ecb(Direction::decrypt, in), decrypted) << "trial " << trial << ", " << num_blocks << " blocks";
    }
  }
}

/// A key for every lane, in decryption as well as in encryption.
TEST_P(AesCore, EveryLaneHasItsOwnKey) {
  for (int trial = 0; trial < 10; ++trial) {
    const ByteVector in = random_bytes(16 * kernel.lanes);
    ByteVector want[num_directions] = {ByteVector(in.size()), ByteVector(in.size())};
    for (std::size_t lane = 0; lane < kernel.lanes; ++lane) {
      const ByteVector key = random_bytes(tested.key_bytes);
      expand(key);
      kernel.set_lane(lane_schedules.get(), lane, schedule.get());
      const auto cipher = reference::make_cipher(tested.cipher, key);
      cipher->encrypt_block(in.data() + 16 * lane, want[0].data() + 16 * lane);
      cipher->decrypt_block(in.data() + 16 * lane, want[1].data() + 16 * lane);
    }
    for (unsigned direction = 0; direction < num_directions; ++direction) {
      ByteVector out(in.size());
      kernel.crypt_lanes[direction](lane_schedules.get(), in.data(), out.data());
      ASSERT_EQ(out, want[direction]) << "trial " << trial << ", direction " << direction;
    }
  }
}

std::vector<TestedKernel> aes_kernels() {
  std::vector<TestedKernel> kernels = tested_kernels();
  std::erase_if(kernels, [](const TestedKernel& tested) { return tested.cipher.rfind("aes-", 0) != 0; });
  return kernels;
}

INSTANTIATE_TEST_SUITE_P(All, AesCore, testing::ValuesIn(aes_kernels()), [](const auto& entry) {
  std::string name = entry.param.cipher + "_" + entry.param.instruction_set;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

unsigned aes_times(unsigned a, unsigned b) {
  unsigned product = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) product ^= a;
    a = a << 1 ^ ((a & 0x80) != 0 ? 0x11b : 0);
  }
  return product;
}

/// SBOX() by its definition, FIPS 197 section 5.1.1.
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
