// A PNG image is known to be right from its first byte to its last.
#include "files/migration/png_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace phalanx {
namespace {

using namespace std::string_view_literals;

// One pixel, as libpng writes it.
constexpr std::string_view image =
    "\x89PNG\r\n\x1a\n"
    "\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0\x90wS\xde"
    "\0\0\0\x0cIDATx\x9c\x63\xf8\xcf\xc0\0\0\3\1\1\0\xc9\xfe\x92\xef"
    "\0\0\0\0IEND\xae\x42\x60\x82"sv;

bool are_right(std::string_view text, std::size_t part_bytes = 1'000) {
  PngSums sums;
  for (Bytes rest = bytes_of(text); !rest.empty(); rest = rest.subspan(std::min(rest.size(), part_bytes)))
    sums.add(rest.first(std::min(rest.size(), part_bytes)));
  return sums.are_right();
}

TEST(PngSums, AWholeImageInPartsOfAnySize) {
  for (std::size_t size = 1; size <= image.size(); ++size) EXPECT_TRUE(are_right(image, size)) << size;
}

TEST(PngSums, EveryByteCounts) {
  for (std::size_t i = 0; i < image.size(); ++i) {
    std::string changed(image);
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    EXPECT_FALSE(are_right(changed)) << i;
  }
}

TEST(PngSums, NothingIsMissingAndNothingFollows) {
  for (std::size_t size = 0; size < image.size(); ++size) EXPECT_FALSE(are_right(image.substr(0, size))) << size;
  EXPECT_FALSE(are_right(std::string(image) + '\n'));
  EXPECT_FALSE(are_right(std::string(image) + std::string(image)));
}

}  // namespace
}  // namespace phalanx
