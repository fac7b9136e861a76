// Memory for secrets: zero at first, aligned, out of core dumps, wiped.
#include "engines/secret_bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace phalanx::test {
namespace {

bool all_zero(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

/// The VmFlags of the mapping that holds the address (proc(5), smaps).
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

TEST(SecretBytes, IsInNoCoreDump) {
  if (!std::ifstream("/proc/self/smaps")) GTEST_SKIP() << "/proc is not mounted";
  const SecretBytes secret(100);
  const std::string flags = mapping_flags(secret.data());
  ASSERT_FALSE(flags.empty()) << "no such mapping in /proc/self/smaps";
  EXPECT_NE(flags.find(" dd "), std::string::npos) << flags;
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
