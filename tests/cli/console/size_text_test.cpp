// Sizes as options write them.
#include "program/cli/console/size_text.hpp"

#include <gtest/gtest.h>

namespace phalanx {
namespace {

constexpr std::size_t most = std::size_t{1} << 32;

TEST(SizeText, IsReadAsItIsWritten) {
  for (const std::size_t size : {1UL, 16UL, 1000UL, 1023UL, 1024UL, 1025UL, 65536UL, 1UL << 20, 3UL << 29, most}) {
    EXPECT_EQ(parse_size(size_text(size), most), size);
  }
  EXPECT_EQ(size_text(65536), "64K");
  EXPECT_EQ(size_text(4 << 20), "4M");
  EXPECT_EQ(size_text(1025), "1025");
  EXPECT_EQ(parse_size("2k", most), 2048U);
}

TEST(SizeText, IsWholeAndNoMoreThanItMayBe) {
  for (const char* text :
       {"", "0", "0K", "K", "-1", "+1", " 1", "1 ", "1.5M", "1KK", "1T", "0x10", "99999999999999999999", "17179869184G"}) {
    EXPECT_EQ(parse_size(text, most), std::nullopt) << text;
  }
  EXPECT_EQ(parse_size("4G", most), most);
  EXPECT_EQ(parse_size("4G", most - 1), std::nullopt);
  EXPECT_EQ(parse_size("5G", most), std::nullopt);
}

}  // namespace
}  // namespace phalanx
