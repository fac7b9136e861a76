// The recogniser's readers by themselves: base64 as it lies in files, UTF-16, and the beginning of deflate data.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/text/hex.hpp"
#include "files/foreign/base64_text.hpp"
#include "files/foreign/openssl_enc.hpp"
#include "files/recognition/inflated_beginning.hpp"
#include "files/recognition/randomness.hpp"
#include "files/recognition/utf16_text.hpp"

namespace phalanx::test {
namespace {

using namespace std::string_literals;
using Buffer = std::vector<std::uint8_t>;

bool is_base64(const std::string& text) { return read_base64(bytes_of(text)).has_value(); }

const std::string first_line = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4v";
const std::string last_line = "MDEyMzQ1Njc4OTo7PD0+Pw==";

TEST(Base64Texts, HaveAnyShape) {
  for (const std::string end : {"\n", "\r\n", " \n", "\t\n", "\n\t", " ", "  ", ""}) {
    const std::string text = first_line + end + first_line + end + last_line + end;
    const auto found = read_base64(bytes_of(text));
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found->decoded.size(), 48U + 48U + 16U);
    EXPECT_TRUE(found->is_likely);
  }
  EXPECT_TRUE(is_base64(first_line.substr(0, 30))) << "cut within a group";
}

TEST(Base64Texts, AreNoProse) {
  EXPECT_FALSE(is_base64("words of prose without a mark"));
  EXPECT_FALSE(is_base64("a sentence, with marks."));
  EXPECT_FALSE(is_base64(first_line + " " + last_line + " " + first_line)) << "a short word between long ones";
  EXPECT_FALSE(is_base64(""));
  EXPECT_TRUE(is_base64("words\nof\nprose\n")) << "lines of any length";
  EXPECT_FALSE(read_base64(bytes_of("words\nof\nprose\n"s))->is_likely);
}

TEST(Base64Texts, OfOpensslMayBeBlankedAnyhow) {
  const std::string text = " U2Fsd GVk\nX18xMjM0NTY3ODEyMzQ1Njc4 MTIz\n";
  EXPECT_TRUE(is_base64(text));
  EXPECT_TRUE(begins_as_salted_base64(bytes_of(text)));
  EXPECT_EQ(openssl_encoding_of(bytes_of(text)), OpensslEncoding::base64);
  EXPECT_FALSE(begins_as_salted_base64(bytes_of("U2FsdGVkX"s)));
}

TEST(Base64Texts, MayBeUrlSafe) {
  const std::string text = "-_-_AbCd0123-_-_AbCd0123-_-_AbCd0123";
  EXPECT_FALSE(is_base64(text));
  const auto found = read_base64(bytes_of(text), Base64Alphabet::url_safe);
  ASSERT_TRUE(found);
  EXPECT_EQ(encode_hex(Bytes(found->decoded).first(3)), "fbffbf");
  EXPECT_FALSE(read_base64(bytes_of(first_line), Base64Alphabet::url_safe)) << "of the standard alphabet";
}

TEST(Utf16Texts, HaveAMarkOrAreAscii) {
  EXPECT_EQ(read_utf16(bytes_of("\xff\xfet\0e\0x\0t\0!\0"s)), "text!");
  EXPECT_EQ(read_utf16(bytes_of("\xfe\xff\0t\0e\0x\0t\0!"s)), "text!");
  EXPECT_EQ(read_utf16(bytes_of("t\0e\0x\0t\0!\0"s)), "text!");
  EXPECT_EQ(read_utf16(bytes_of("\xff\xfeG\0r\0\xfc\0\xdf\0e\0 \0\x3d\xd8\0\xde!\0"s)), "Gr\u00fc\u00dfe \U0001f600!");
  EXPECT_FALSE(read_utf16(bytes_of("\xff\xfe\0\0t\0e\0x\0t\0"s))) << "a zero";
  EXPECT_FALSE(read_utf16(bytes_of("\xff\xfet\0e\0x\0\0\xd8!\0!\0"s))) << "half a pair";
  EXPECT_FALSE(read_utf16(bytes_of("text in ASCII alone"s)));
}

std::string inflated(const std::string& hex, std::size_t most_bytes = 100) {
  Buffer bytes(hex.size() / 2);
  decode_hex(hex, "the data", bytes);
  const auto out = inflate_beginning(bytes, most_bytes);
  return out ? std::string(out->begin(), out->end()) : "nothing";
}

// By zlib: stored, with fixed codes, and with codes of its own.
TEST(InflatedBeginnings, AreThoseOfZlib) {
  EXPECT_EQ(inflated("010500faff68656c6c6f"), "hello");
  EXPECT_EQ(inflated("010500fbff68656c6c6f"), "nothing") << "its length is not that of its inverse";
  EXPECT_EQ(inflated("4b4c4a4e494d4bcf0000"), "abcdefgh");
  EXPECT_EQ(inflated("4b4c4a4e494d4bcf0000", 3), "abc");
  EXPECT_EQ(inflated("4b4cc406929201"), "aaaaaaaaaaaaaaaaaaaaaabc");
  EXPECT_EQ(inflated("030200"), "nothing") << "a distance before the beginning";
  const std::string of_its_own =
      "85d4316ec3400c44d1fe9f620f90422493d83e4e0cc8482144402cc0d74f951d559cfa4db51fdc65dcf7e3d8d6e7d81fe3be"
      "aebf63ff19c7f73a5e5fdbf636967f26fae164b21f4ea6fae164defbe1643efae1643efbe1642efd7032d77e38995b3fbce9";
  EXPECT_EQ(inflated(of_its_own, 50), "0 bottles of beer on the wall, 0 bottles\n1 bottles");
  EXPECT_EQ(inflated(of_its_own.substr(0, 40)), "nothing") << "its codes are cut";
  EXPECT_EQ(inflated("07"), "nothing");
  EXPECT_EQ(inflated(""), "nothing");
}

TEST(Randomness, IsSeenInManyBytesAlone) {
  EXPECT_TRUE(look_random(Buffer(23, 'a')));
  EXPECT_FALSE(look_random(Buffer(24, 'a')));
  EXPECT_TRUE(look_random({}));
}

}  // namespace
}  // namespace phalanx::test
