// Memory for secrets: zero at first, aligned, out of core dumps, locked, wiped, shared by threads.
#include "engine/secrets/secret_bytes.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

namespace phalanx::test {
namespace {

bool all_zero(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

// The VmFlags of the mapping that holds the address (proc(5), smaps).
std::string mapping_flags(const void* address) {
  std::ifstream smaps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    std::uintptr_t first = 0;
    std::uintptr_t last = 0;
    char dash = 0;
    if (std::istringstream range(line); range >> std::hex >> first >> dash >> last && dash == '-') {
      inside = first <= wanted && wanted < last;
    }
    if (inside && line.starts_with("VmFlags:")) return line + " ";
  }
  return "";
}

TEST(SecretBytes, StartsZeroAndAligned) {
  for (const std::size_t size : {1, 64, 4095, 4096, 4097, 100000}) {
    SecretBytes secret(size);
    EXPECT_EQ(secret.size(), size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(secret.data()) % 64, 0U);
    EXPECT_TRUE(all_zero(secret));
    std::fill(secret.begin(), secret.end(), std::uint8_t{0xff});  // all of it may be written
  }
  EXPECT_EQ(SecretBytes(0).size(), 0U);
  EXPECT_EQ(SecretBytes().data(), nullptr);
}

// qemu-user passes no such advice on.
bool takes_advice_on_core_dumps() {
  const std::size_t size = 4096;
  void* const page = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(page, size, MADV_DONTDUMP);
  const bool is_taken = mapping_flags(page).find(" dd ") != std::string::npos;
  munmap(page, size);
  return is_taken;
}

// A piece of shared pages, and pages of its own.
constexpr std::size_t sizes[] = {100, 100000};

TEST(SecretBytes, IsInNoCoreDump) {
  if (!std::ifstream("/proc/self/smaps")) GTEST_SKIP() << "/proc is not mounted";
  if (!takes_advice_on_core_dumps()) GTEST_SKIP() << "the emulator keeps no page out of core dumps";
  for (const std::size_t size : sizes) {
    const SecretBytes secret(size);
    for (const std::uint8_t* place : {secret.data(), secret.data() + size - 1}) {
      const std::string flags = mapping_flags(place);
      ASSERT_FALSE(flags.empty()) << "no such mapping in /proc/self/smaps";
      EXPECT_NE(flags.find(" dd "), std::string::npos) << flags;
    }
  }
}

TEST(SecretBytes, IsLockedWhereTheProcessMay) {
  if (!std::ifstream("/proc/self/smaps")) GTEST_SKIP() << "/proc is not mounted";
  void* const own = mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(own, MAP_FAILED);
  (void)mlock(own, 1 << 20);
  const bool may_lock = mapping_flags(own).find(" lo ") != std::string::npos;
  munmap(own, 1 << 20);
  if (!may_lock) GTEST_SKIP() << "this process cannot lock memory (a sanitizer, or RLIMIT_MEMLOCK)";
  for (const std::size_t size : sizes) {
    const SecretBytes secret(size);
    const std::string flags = mapping_flags(secret.data());
    EXPECT_NE(flags.find(" lo "), std::string::npos) << flags;
  }
}

TEST(SecretBytes, WipesASharedPieceWhenItIsFreed) {
  const std::uint8_t* where = nullptr;
  {
    SecretBytes secret(1000);
    std::fill(secret.begin(), secret.end(), std::uint8_t{0xee});
    secret.shrink(10);  // what it has given up is wiped as well
    std::fill(secret.begin(), secret.end(), std::uint8_t{0xee});
    where = secret.data();
  }
  EXPECT_TRUE(all_zero({where + sizeof(void*), 1000 - sizeof(void*)})) << "the page stays, the secret does not";
  // What stands there is a link or zero. One byte of an address may well be 0xee; all of them are not.
  EXPECT_FALSE(std::all_of(where, where + sizeof(void*), [](std::uint8_t byte) { return byte == 0xee; }));
  const SecretBytes next(1000);
  EXPECT_EQ(next.data(), where) << "used again";
  EXPECT_TRUE(all_zero(next));
}

TEST(SecretBytes, PiecesOfManyThreadsDoNotOverlap) {
  const auto work = [](std::uint8_t mark, bool& fine) {
    std::vector<SecretBytes> held;
    for (std::size_t round = 0; round < 2000; ++round) {
      SecretBytes secret(1 + round * 37 % 3000);
      fine = fine && all_zero(secret);
      std::fill(secret.begin(), secret.end(), mark);
      held.push_back(std::move(secret));
      if (held.size() < 20) continue;
      SecretBytes& oldest = held[round * 7 % held.size()];
      fine = fine && std::all_of(oldest.begin(), oldest.end(), [mark](std::uint8_t byte) { return byte == mark; });
      oldest = std::move(held.back());
      held.pop_back();
    }
  };
  bool fine[4] = {true, true, true, true};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) threads.emplace_back(work, static_cast<std::uint8_t>(i + 1), std::ref(fine[i]));
  for (std::thread& thread : threads) thread.join();
  for (const bool each : fine) EXPECT_TRUE(each);
}

TEST(SecretBytes, MovesAndShrinks) {
  const std::uint8_t bytes[] = {1, 2, 3, 4};
  SecretBytes secret{Bytes(bytes)};
  const std::uint8_t* where = secret.data();
  SecretBytes moved(std::move(secret));
  EXPECT_EQ(moved.data(), where);
  EXPECT_EQ(moved.size(), 4U);
  EXPECT_EQ(secret.size(), 0U);  // NOLINT(bugprone-use-after-move)
  moved.shrink(2);
  EXPECT_EQ(moved.size(), 2U);
  EXPECT_EQ(where[1], 2);
  EXPECT_EQ(where[2], 0) << "the rest is wiped";
  EXPECT_EQ(where[3], 0);
  SecretBytes other(8);
  other = std::move(moved);
  EXPECT_EQ(other.data(), where);
}

TEST(SecretBytes, WipesWhatIsTold) {
  std::uint8_t local[40];
  std::fill(std::begin(local), std::end(local), std::uint8_t{7});
  wipe_memory(local, 39);
  EXPECT_TRUE(all_zero(Bytes(local).first(39)));
  EXPECT_EQ(local[39], 7);
}

}  // namespace
}  // namespace phalanx::test
