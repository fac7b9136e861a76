// The expansion of a key leaves nothing on the stack that depends on the key: not the key, nor what the compiler had put
// aside while it computed. Two runs that differ in the key alone must leave the same bytes behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "kernel_list.hpp"
#include "own_stack.hpp"

namespace phalanx {
namespace {

using ByteVector = std::vector<std::uint8_t>;

ByteVector random_bytes(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  ByteVector bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

std::uint8_t* aligned(ByteVector& memory) {
  return memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
}

// How many bytes of the stack depend on which of two keys the work had. `keys` is where the work finds one.
std::size_t count_key_bytes(ByteVector& keys, const std::function<void()>& work) {
  test::OwnStack stack;
  ByteVector remains[3];
  for (const std::size_t run : {0, 1, 2}) {  // the first one binds the symbols of shared libraries
    const ByteVector key = random_bytes(keys.size(), run);
    std::copy(key.begin(), key.end(), keys.begin());
    stack.run(work);
    remains[run].assign(stack.memory().begin(), stack.memory().end());
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < remains[1].size(); ++i) count += remains[1][i] != remains[2][i] ? 1 : 0;
  return count;
}

bool is_emulated(const std::string& instruction_set) { return instruction_set.ends_with("emulated"); }

class KeyRemains : public testing::TestWithParam<TestedKernel> {
 protected:
  const TestedKernel& tested = GetParam();
  const Kernel& kernel = *tested.kernel;
  std::size_t kernel_key_bytes = kernel_key(tested, ByteVector(tested.key_bytes)).size();

  void SetUp() override {
    if (!test::has_plain_stacks) GTEST_SKIP() << "a sanitizer lays out the stack";
    if (is_emulated(tested.instruction_set)) GTEST_SKIP() << "the emulation keeps all that it computes in memory";
  }
};

TEST_P(KeyRemains, OfOneKey) {
  ByteVector key(kernel_key_bytes);
  ByteVector schedule(kernel.schedule_bytes + 64);
  EXPECT_EQ(count_key_bytes(key, [&] { kernel.expand_key(key.data(), key.size(), aligned(schedule)); }), 0U);
}

TEST_P(KeyRemains, OfAKeyForEveryLane) {
  ByteVector keys(kernel_key_bytes * kernel.lanes);
  ByteVector schedules(kernel.lane_schedules_bytes + 64);
  EXPECT_EQ(count_key_bytes(keys,
                            [&] {
                              for (std::size_t lane = 0; lane < kernel.lanes; lane += kernel.key_lanes) {
                                kernel.expand_lane_keys(keys.data(), kernel_key_bytes, lane, aligned(schedules));
                              }
                            }),
            0U);
}

INSTANTIATE_TEST_SUITE_P(All, KeyRemains, testing::ValuesIn(tested_kernels()), kernel_test_name);

class HashKeyRemains : public testing::TestWithParam<TestedGhash> {};

TEST_P(HashKeyRemains, OfTheHash) {
  if (!test::has_plain_stacks) GTEST_SKIP() << "a sanitizer lays out the stack";
  if (is_emulated(GetParam().instruction_set)) GTEST_SKIP() << "the emulation keeps all that it computes in memory";
  const GhashKernel& kernel = *GetParam().kernel;
  ByteVector hash_subkey(16);
  ByteVector key(kernel.key_bytes + 64);
  EXPECT_EQ(count_key_bytes(hash_subkey, [&] { kernel.expand_key(hash_subkey.data(), aligned(key)); }), 0U);
}

INSTANTIATE_TEST_SUITE_P(All, HashKeyRemains, testing::ValuesIn(tested_ghash_kernels()), ghash_test_name);

}  // namespace
}  // namespace phalanx
