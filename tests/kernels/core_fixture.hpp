// What the tests of single cores share: one kernel under test, its schedules, and comparisons with the reference.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernel_list.hpp"
#include "lane_keys.hpp"
#include "reference/reference.hpp"

namespace phalanx {

class CoreFixture : public testing::TestWithParam<TestedKernel> {
 protected:
  using ByteVector = std::vector<std::uint8_t>;
  struct alignas(64) KeyMemory {
    std::uint8_t bytes[128 * 1024];
  };

  const TestedKernel& tested = GetParam();
  const Kernel& kernel = *tested.kernel;
  std::mt19937_64 random{17};
  std::unique_ptr<KeyMemory> schedule = std::make_unique<KeyMemory>();

  void SetUp() override {
    ASSERT_LE(kernel.schedule_bytes, sizeof(KeyMemory));
    std::memset(schedule.get(), 0xa5, sizeof(KeyMemory));  // an expanded key is to depend on nothing but the key
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
    const RangeFunction crypt = kernel.range[static_cast<int>(Mode::ecb)][static_cast<int>(direction)];
    crypt(schedule.get(), no_iv, in.data(), out.data(), in.size() / kernel.block_bytes);
    return out;
  }
  /// The reference's answers in both directions, block j under cipher j or, if there is only one, under that.
  using Ciphers = std::vector<std::unique_ptr<reference::BlockCipher>>;
  ByteVector expected(Direction direction, const Ciphers& ciphers, const ByteVector& in) const {
    ByteVector out(in.size());
    for (std::size_t j = 0; j < in.size() / kernel.block_bytes; ++j) {
      const reference::BlockCipher& cipher = *ciphers[ciphers.size() == 1 ? 0 : j];
      const std::size_t at = j * kernel.block_bytes;
      direction == Direction::encrypt ? cipher.encrypt_block(&in[at], &out[at]) : cipher.decrypt_block(&in[at], &out[at]);
    }
    return out;
  }

  /// One block (crypt_block) and a whole group (crypt), both ways.
  void expect_the_reference_under_random_keys(int num_keys) {
    for (int trial = 0; trial < num_keys; ++trial) {
      const ByteVector key = random_bytes(tested.key_bytes);
      Ciphers ciphers;
      ciphers.push_back(reference::make_cipher(tested.cipher, key));
      expand(key);
      for (const std::size_t num_blocks : {std::size_t{1}, kernel.lanes}) {
        const ByteVector in = random_bytes(num_blocks * kernel.block_bytes);
        for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
          ASSERT_EQ(ecb(direction, in), expected(direction, ciphers, in))
              << "key " << trial << ", " << num_blocks << " blocks, direction " << static_cast<int>(direction);
        }
      }
    }
  }

  /// A random key in every lane, both ways.
  void expect_the_reference_in_every_lane(int num_trials) {
    for (int trial = 0; trial < num_trials; ++trial) {
      Ciphers ciphers;
      LaneKeys lane_keys(kernel, tested.key_bytes);
      for (std::size_t lane = 0; lane < kernel.lanes; ++lane) {
        const ByteVector key = random_bytes(tested.key_bytes);
        lane_keys.set(lane, key);
        ciphers.push_back(reference::make_cipher(tested.cipher, key));
      }
      lane_keys.expand_all();
      const ByteVector in = random_bytes(kernel.lanes * kernel.block_bytes);
      for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
        ByteVector out(in.size());
        lane_keys.crypt(direction, in.data(), out.data());
        ASSERT_EQ(out, expected(direction, ciphers, in)) << "direction " << static_cast<int>(direction);
      }
    }
  }
};

/// The tested kernels of one family of ciphers: "serpent-".
inline std::vector<TestedKernel> kernels_of(const std::string& family) {
  std::vector<TestedKernel> kernels = tested_kernels();
  std::erase_if(kernels, [&](const TestedKernel& tested) { return tested.cipher.rfind(family, 0) != 0; });
  return kernels;
}

}  // namespace phalanx
