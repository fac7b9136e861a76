// GHASH of every instruction set against the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "engine/engines/cpu/cpu_hash.hpp"
#include "kernel_list.hpp"
#include "reference/reference.hpp"

namespace phalanx {
namespace {

using ByteVector = std::vector<std::uint8_t>;
using Block = reference::GcmBlock;

struct alignas(64) GhashKeyMemory {
  std::uint8_t bytes[4096];
};

class GhashKernels : public testing::TestWithParam<TestedGhash> {
 protected:
  const GhashKernel& kernel = *GetParam().kernel;
  std::mt19937_64 random{38};
  std::unique_ptr<GhashKeyMemory> key = std::make_unique<GhashKeyMemory>();

  void SetUp() override { ASSERT_LE(kernel.key_bytes, sizeof(GhashKeyMemory)); }

  Block random_block() {
    Block block;
    for (std::uint8_t& byte : block) byte = static_cast<std::uint8_t>(random());
    return block;
  }
  ByteVector random_blocks(std::size_t num_blocks) {
    ByteVector bytes(16 * num_blocks);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  }
  // The reference starts from zero: adding y to the first block is starting from y.
  static Block expected(const Block& h, const Block& y, ByteVector in) {
    if (in.empty()) return y;
    for (std::size_t i = 0; i < 16; ++i) in[i] ^= y[i];
    return reference::ghash(h, in);
  }
};

// The GCM specification (McGrew and Viega, 2005), test case 2: the ciphertext block and then the block of lengths.
TEST_P(GhashKernels, AgreesWithAPublishedValue) {
  const Block h{0x66, 0xe9, 0x4b, 0xd4, 0xef, 0x8a, 0x2c, 0x3b, 0x88, 0x4c, 0xfa, 0x59, 0xca, 0x34, 0x2b, 0x2e};
  const ByteVector in{0x03, 0x88, 0xda, 0xce, 0x60, 0xb6, 0xa3, 0x92, 0xf3, 0x28, 0xc2, 0xb9, 0x71, 0xb2, 0xfe, 0x78,
                      0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0x80};
  const Block want{0xf3, 0x8c, 0xbb, 0x1a, 0xd6, 0x92, 0x23, 0xdc, 0xc3, 0x45, 0x7a, 0xe5, 0xb6, 0xb0, 0xf8, 0x85};
  kernel.expand_key(h.data(), key.get());
  Block y{};
  kernel.update(key.get(), y.data(), in.data(), 2, nullptr, 0);
  EXPECT_EQ(y, want);
}

TEST_P(GhashKernels, EqualsTheReferenceAtEveryLength) {
  for (std::size_t num_blocks = 0; num_blocks <= 100; ++num_blocks) {
    const Block h = random_block();
    const Block start = random_block();
    const ByteVector in = random_blocks(num_blocks);
    kernel.expand_key(h.data(), key.get());
    Block y = start;
    kernel.update(key.get(), y.data(), in.data(), num_blocks, nullptr, 0);
    ASSERT_EQ(y, expected(h, start, in)) << num_blocks << " blocks";
  }
}

TEST_P(GhashKernels, GoesOnWhereItStopped) {
  const Block h = random_block();
  kernel.expand_key(h.data(), key.get());
  for (int trial = 0; trial < 30; ++trial) {
    const std::size_t num_blocks = random() % 200;
    const ByteVector in = random_blocks(num_blocks);
    Block y{};
    for (std::size_t done = 0; done < num_blocks;) {
      const std::size_t step = std::min<std::size_t>(1 + random() % 70, num_blocks - done);
      kernel.update(key.get(), y.data(), in.data() + 16 * done, step, nullptr, 0);
      done += step;
    }
    ASSERT_EQ(y, expected(h, Block{}, in));
  }
}

// Single bits everywhere: each coefficient of H times each of X, the corners of the reduction.
TEST_P(GhashKernels, MultipliesEveryPairOfCoefficients) {
  for (unsigned i = 0; i < 128; ++i) {
    Block h{};
    h[i / 8] = static_cast<std::uint8_t>(0x80 >> i % 8);
    kernel.expand_key(h.data(), key.get());
    for (unsigned j = 0; j < 128; ++j) {
      Block x{};
      x[j / 8] = static_cast<std::uint8_t>(0x80 >> j % 8);
      Block y{};
      kernel.update(key.get(), y.data(), x.data(), 1, nullptr, 0);
      ASSERT_EQ(y, reference::gf128_multiply(x, h)) << "x^" << i << " times x^" << j;
    }
  }
}

// The blocks at `last` follow those at `in`, wherever the group of blocks that are reduced together ends.
TEST_P(GhashKernels, TakesInWhatFollowsElsewhere) {
  for (std::size_t num_blocks = 0; num_blocks <= 70; ++num_blocks) {
    for (std::size_t num_last = 0; num_last <= 3; ++num_last) {
      const Block h = random_block();
      const Block start = random_block();
      ByteVector in = random_blocks(num_blocks);
      const ByteVector last = random_blocks(num_last);
      kernel.expand_key(h.data(), key.get());
      Block y = start;
      kernel.update(key.get(), y.data(), in.data(), num_blocks, last.data(), num_last);
      in.insert(in.end(), last.begin(), last.end());
      ASSERT_EQ(y, expected(h, start, in)) << num_blocks << " blocks and " << num_last;
    }
  }
}

// Parts that were hashed alone, as GPUs do it: with few and many bits in their lengths, and of nothing.
TEST_P(GhashKernels, JoinsParts) {
  const Block h = random_block();
  const CpuHash hash(kernel, h.data(), 1);
  for (const std::size_t first : {0U, 1U, 5U}) {
    for (const std::size_t second : {0U, 1U, 2U, 3U, 64U, 127U, 1000U, 4096U}) {
      const Block start = random_block();
      const ByteVector in = random_blocks(first + second);
      Block y = start, part{};
      hash.update(y.data(), in.data(), first);
      hash.update(part.data(), in.data() + 16 * first, second);
      hash.join(y.data(), part.data(), second);
      ASSERT_EQ(y, expected(h, start, in)) << first << " blocks and " << second;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GhashKernels, testing::ValuesIn(tested_ghash_kernels()), ghash_test_name);

}  // namespace
}  // namespace phalanx
