// No kernel reads or writes a byte beyond the text, the iv, the key or the hash's blocks that it was given: each of them
// lies once exactly before a page that nobody may touch and once exactly behind one, for every length up to two groups and
// more.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "guarded_memory.hpp"
#include "kernel_list.hpp"

namespace phalanx {
namespace {

using test::both_edges;
using test::Edge;
using test::GuardedMemory;
using test::GuardWatch;

// Of a key, an iv, a block; and expanded keys, which kernels want aligned to 64 bytes.
constexpr std::size_t most_small_bytes = 64;

// qemu-user has the size of a page from its environment (tests/kernels/CMakeLists.txt).
TEST(PageSize, IsWhatTheEnvironmentSays) {
  const char* const page_bytes = std::getenv("QEMU_PAGESIZE");
  if (page_bytes == nullptr) GTEST_SKIP() << "the environment says nothing of pages";
  EXPECT_EQ(std::to_string(sysconf(_SC_PAGESIZE)), page_bytes);
}

std::string text_of(Edge edge) { return edge == Edge::end ? " before a page's end" : " behind a page"; }

class GuardPages : public testing::TestWithParam<TestedKernel> {
 protected:
  const TestedKernel& tested = GetParam();
  const Kernel& kernel = *tested.kernel;
  const std::size_t most_blocks = 2 * kernel.lanes + 3;
  GuardWatch watch;
  GuardedMemory in{most_blocks * kernel.block_bytes};
  GuardedMemory out{most_blocks * kernel.block_bytes};
  GuardedMemory small{most_small_bytes};
  GuardedMemory key{most_small_bytes};
  GuardedMemory schedules[2] = {GuardedMemory(kernel.schedule_bytes), GuardedMemory(kernel.schedule_bytes)};  // of each edge

  std::uint8_t* expanded(Edge edge) {
    return schedules[static_cast<int>(edge)].at(edge, (kernel.schedule_bytes + 63) / 64 * 64);
  }

  void SetUp() override {
    if (is_slow() && tested.key_bytes > 16)
      GTEST_SKIP() << "memory is touched as under a shorter key, and the emulation is slow";
    const std::size_t key_bytes = kernel_key(tested, std::vector<std::uint8_t>(tested.key_bytes)).size();
    for (const Edge edge : both_edges) {
      ASSERT_FALSE(watch.touches_guards([&] { kernel.expand_key(key.at(edge, key_bytes), key_bytes, expanded(edge)); }))
          << "expanding a key" << text_of(edge);
    }
  }

  // Every length; where a call takes long, those around the boundaries that a kernel can have.
  [[nodiscard]] std::vector<std::size_t> lengths(bool all) const {
    std::vector<std::size_t> result;
    for (std::size_t n = 0; n <= most_blocks; ++n) {
      const std::size_t beyond = n % std::max<std::size_t>(1, kernel.lanes / 4);
      const bool is_near_boundary = beyond <= 1 || (n + 1) % std::max<std::size_t>(1, kernel.lanes / 4) == 0;
      if (all || n <= 9 || is_near_boundary) result.push_back(n);
    }
    return result;
  }
  [[nodiscard]] bool is_slow() const { return tested.instruction_set.ends_with("emulated"); }
};

TEST_P(GuardPages, OfRanges) {
  for (unsigned mode = 0; mode < num_range_modes; ++mode) {
    for (unsigned direction = 0; direction < num_directions; ++direction) {
      const RangeFunction crypt = kernel.range[mode][direction];
      if (crypt == nullptr) continue;
      const bool is_serial = step_of(static_cast<Mode>(mode), static_cast<Direction>(direction)).is_serial();
      for (const std::size_t num_blocks : lengths(!is_slow() && !is_serial)) {
        const std::size_t size = num_blocks * kernel.block_bytes;
        for (const Edge edge : both_edges) {
          std::uint8_t* const iv = small.at(edge, kernel.block_bytes);
          const bool caught = watch.touches_guards([&] {
            crypt(expanded(edge), iv, in.at(edge, size), out.at(edge, size), num_blocks);
            crypt(expanded(edge), iv, out.at(edge, size), out.at(edge, size), num_blocks);
          });
          ASSERT_FALSE(caught) << num_blocks << " blocks, mode " << mode << ", direction " << direction << text_of(edge);
        }
      }
    }
  }
}

TEST_P(GuardPages, OfJoinedMessages) {
  for (unsigned mode = 0; mode < num_range_modes; ++mode) {
    for (unsigned direction = 0; direction < num_directions; ++direction) {
      const PackedFunction crypt = kernel.packed[mode][direction];
      if (crypt == nullptr) continue;
      for (const std::size_t num_blocks : lengths(false)) {
        const std::size_t size = num_blocks * kernel.block_bytes;
        for (const Edge edge : both_edges) {
          std::uint8_t* const iv = small.at(edge, kernel.block_bytes);
          const MessageBlocks messages[] = {{iv, in.at(edge, size), out.at(edge, size), num_blocks},
                                            {iv, out.at(edge, size), out.at(edge, size), num_blocks}};
          ASSERT_FALSE(watch.touches_guards([&] { crypt(expanded(edge), messages, 2); }))
              << num_blocks << " blocks, mode " << mode << ", direction " << direction << text_of(edge);
        }
      }
    }
  }
}

// CTR and GHASH in one pass, and the blocks that the hash takes in at last.
TEST_P(GuardPages, OfGcm) {
  if (kernel.gcm[0] == nullptr) GTEST_SKIP() << "GCM is defined for 128-bit blocks";
  const auto hashes = tested_ghash_kernels();
  const auto hash = std::ranges::find(hashes, tested.instruction_set, &TestedGhash::instruction_set);
  ASSERT_NE(hash, hashes.end());
  GuardedMemory hash_key(hash->kernel->key_bytes);
  GuardedMemory y(16);
  GuardedMemory last(32);
  const std::size_t hash_key_bytes = (hash->kernel->key_bytes + 63) / 64 * 64;
  for (const Edge edge : both_edges) {
    hash->kernel->expand_key(key.at(edge, 16), hash_key.at(edge, hash_key_bytes));
    for (unsigned direction = 0; direction < num_directions; ++direction) {
      for (const std::size_t num_blocks : lengths(!is_slow())) {
        for (const std::size_t num_last : {0, 1, 2}) {
          const std::size_t size = 16 * num_blocks;
          const auto crypt = [&](const std::uint8_t* from) {
            kernel.gcm[direction](expanded(edge), hash_key.at(edge, hash_key_bytes), small.at(edge, 16), y.at(edge, 16),
                                  from, out.at(edge, size), num_blocks, last.at(edge, 16 * num_last), num_last);
          };
          ASSERT_FALSE(watch.touches_guards([&] { crypt(in.at(edge, size)), crypt(out.at(edge, size)); }))
              << num_blocks << " blocks and " << num_last << ", direction " << direction << text_of(edge);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GuardPages, testing::ValuesIn(tested_kernels()), kernel_test_name);

class GuardPagesOfHashes : public testing::TestWithParam<TestedGhash> {};

TEST_P(GuardPagesOfHashes, OfEveryLength) {
  const GhashKernel& kernel = *GetParam().kernel;
  constexpr std::size_t most_blocks = 70;  // two groups of the longest, and more
  const GuardWatch watch;
  GuardedMemory key(kernel.key_bytes);
  GuardedMemory subkey(16);
  GuardedMemory y(16);
  GuardedMemory in(16 * most_blocks);
  GuardedMemory last(16 * most_blocks);
  const std::size_t key_bytes = (kernel.key_bytes + 63) / 64 * 64;
  for (const Edge edge : both_edges) {
    ASSERT_FALSE(watch.touches_guards([&] { kernel.expand_key(subkey.at(edge, 16), key.at(edge, key_bytes)); }));
    for (std::size_t num_blocks = 0; num_blocks <= most_blocks; ++num_blocks) {
      for (const std::size_t num_last : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, most_blocks}) {
        const bool caught = watch.touches_guards([&] {
          kernel.update(key.at(edge, key_bytes), y.at(edge, 16), in.at(edge, 16 * num_blocks), num_blocks,
                        last.at(edge, 16 * num_last), num_last);
        });
        ASSERT_FALSE(caught) << num_blocks << " blocks and " << num_last << text_of(edge);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GuardPagesOfHashes, testing::ValuesIn(tested_ghash_kernels()), ghash_test_name);

// The watch itself: a byte too far on either side is caught, and the last one that is allowed is not.
TEST(GuardedMemories, CatchAByteTooFar) {
  const GuardWatch watch;
  const GuardedMemory memory(100);
  const auto reads = [&](Edge edge, std::ptrdiff_t i) {
    return watch.touches_guards([&] { static_cast<void>(*static_cast<volatile std::uint8_t*>(memory.at(edge, 100) + i)); });
  };
  EXPECT_FALSE(reads(Edge::end, 99));
  EXPECT_TRUE(reads(Edge::end, 100));
  EXPECT_FALSE(reads(Edge::beginning, 0));
  EXPECT_TRUE(reads(Edge::beginning, -1));
}

}  // namespace
}  // namespace phalanx
