#include "engine/text/hex.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <phalanx/error.hpp>
#include <string>
#include <vector>

namespace phalanx {
namespace {

std::string error_of(const std::string& digits, std::vector<std::uint8_t>& out) {
  try {
    decode_hex(digits, "--iv", out);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "";
}

TEST(Hex, DecodesAndEncodesEveryByte) {
  for (unsigned value = 0; value < 256; ++value) {
    char lower[3], upper[3];
    snprintf(lower, sizeof lower, "%02x", value);
    snprintf(upper, sizeof upper, "%02X", value);
    std::vector<std::uint8_t> from_lower(1), from_upper(1);
    decode_hex(lower, "--iv", from_lower);
    decode_hex(upper, "--iv", from_upper);
    EXPECT_EQ(from_lower[0], value);
    EXPECT_EQ(from_upper[0], value);
    EXPECT_EQ(encode_hex(from_lower), lower);
  }
}

TEST(Hex, KeepsTheOrderOfBytes) {
  std::vector<std::uint8_t> out(8);
  decode_hex("0123456789abCDEF", "--iv", out);
  EXPECT_EQ(out, (std::vector<std::uint8_t>{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}));
  EXPECT_EQ(encode_hex(out), "0123456789abcdef");
  std::vector<std::uint8_t> none;
  decode_hex("", "--iv", none);
  EXPECT_EQ(encode_hex(none), "");
}

TEST(Hex, RefusesEveryOtherCharacterInEitherPlace) {
  for (unsigned value = 0; value < 256; ++value) {
    const char character = static_cast<char>(value);
    const bool digit = std::string("0123456789abcdefABCDEF").find(character) != std::string::npos;
    for (const std::size_t place : {0U, 1U, 2U, 3U}) {
      std::string digits = "7777";
      digits[place] = character;
      std::vector<std::uint8_t> out(2, 0xee);
      EXPECT_EQ(error_of(digits, out).empty(), digit) << "character " << value << " at " << place;
      EXPECT_EQ(out == std::vector<std::uint8_t>(2, 0), !digit) << "what was decoded of a bad key is not left behind";
    }
  }
}

TEST(Hex, RefusesAWrongNumberOfDigits) {
  for (std::size_t num_digits = 0; num_digits <= 20; ++num_digits) {
    std::vector<std::uint8_t> out(8, 0xee);
    const std::string message = error_of(std::string(num_digits, 'a'), out);
    EXPECT_EQ(message.empty(), num_digits == 16) << num_digits;
    EXPECT_EQ(message.find("odd number") != std::string::npos, num_digits % 2 == 1) << message;
  }
}

TEST(Hex, CountsTheDigitsAlone) {
  struct Case {
    const char* text;
    const char* words;
  };
  const std::vector<Case> cases = {
      {"0123\n4567\n", "--iv has 8 hex digits, with line ends among them; give 8 (4 bytes) and nothing else"},
      {"01234567 ", "8 hex digits, with spaces among them; give 8 (4 bytes) and nothing else"},
      {"0x01234567", "8 hex digits, with '0x' before them; give 8 (4 bytes) and nothing else"},
      {"01:23:45:67", "8 hex digits, with ':' among them; give 8 (4 bytes) and nothing else"},
      {"0x01 23\n", "4 hex digits, with '0x' before them, with line ends among them, with spaces among them; give 8"},
      {"012 345", "6 hex digits, with spaces among them; give 8 (4 bytes)"},
      {"0123456", "7 hex digits, an odd number; give 8 (4 bytes)"},
      {"0123456z", "a character that is not a hex digit, at place 8: use 0-9 and a-f only"},
  };
  for (const Case& one : cases) {
    std::vector<std::uint8_t> out(4);
    const std::string message = error_of(one.text, out);
    EXPECT_NE(message.find(one.words), std::string::npos) << message;
  }
  EXPECT_EQ(describe_hex_text("0123\n4567\n"), "8 hex digits, with line ends among them");
  EXPECT_EQ(describe_hex_text("a passphrase"), "");
  EXPECT_EQ(describe_hex_text("\n"), "");
}

TEST(Hex, MessagesNameTheSubjectAndNoDigit) {
  for (const std::string digits : {"deadbeefdeadbee", "deadbeefdeadbeeg", "deadbeef"}) {
    std::vector<std::uint8_t> out(8);
    const std::string message = error_of(digits, out);
    EXPECT_EQ(message.find("--iv"), 0U) << message;
    EXPECT_EQ(message.find("dead"), std::string::npos) << message;
    EXPECT_EQ(message.find("beeg"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace phalanx
