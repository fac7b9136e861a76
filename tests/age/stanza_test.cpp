#include <gtest/gtest.h>

#include <phalanx/error.hpp>

#include "engine/text/characters.hpp"
#include "files/age/age_stanza.hpp"
#include "files/age/raw_base64.hpp"

namespace phalanx::test {
namespace {

TEST(RawBase64, EveryByteAndLength) {
  for (std::size_t size = 0; size < 70; ++size) {
    SecretBytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes.data()[i] = static_cast<std::uint8_t>(i * 67 + size * 5);
    std::string text(raw_base64_characters(size), ' ');
    encode_raw_base64(bytes, reinterpret_cast<std::uint8_t*>(text.data()));
    const auto decoded = decode_raw_base64(text);
    ASSERT_TRUE(decoded.has_value()) << text;
    EXPECT_TRUE(std::ranges::equal(Bytes(*decoded), Bytes(bytes)));
  }
  EXPECT_EQ(characters_of(*decode_raw_base64("Zm9vYmFy")), "foobar");  // RFC 4648, section 10
  EXPECT_EQ(characters_of(*decode_raw_base64("Zm9vYg")), "foob");
}

TEST(RawBase64, OnlyCanonicalTexts) {
  for (const char* text : {"Z", "Zg==", "Zh", "Zm8=", "Zm9v\n", "Zm 9v", "-_-_", "Zm9vY"}) {
    EXPECT_FALSE(decode_raw_base64(text).has_value()) << text;
  }
  for (int c = 0; c < 256; ++c) {
    const std::string text{'A', 'A', 'A', static_cast<char>(c)};
    const bool is_of_alphabet =
        (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
    EXPECT_EQ(decode_raw_base64(text).has_value(), is_of_alphabet) << c;
  }
}

TEST(AgeStanza, WhatIsWrittenIsRead) {
  for (std::size_t size = 0; size < 150; ++size) {
    SecretBytes body(size);
    for (std::size_t i = 0; i < size; ++i) body.data()[i] = static_cast<std::uint8_t>(i * 31);
    const SecretBytes text = age_stanza_text({"add-recipient", "age1!~"}, body);
    const std::string followed = std::string(characters_of(text)) + "-> done\n\n";
    EXPECT_EQ(first_stanza_bytes(followed), text.size());
    std::string_view rest = followed;
    const AgeStanza stanza = read_age_stanza(rest);
    EXPECT_EQ(stanza.arguments, (std::vector<std::string>{"add-recipient", "age1!~"}));
    EXPECT_TRUE(std::ranges::equal(Bytes(stanza.body), Bytes(body)));
    EXPECT_EQ(rest, "-> done\n\n");
  }
}

TEST(AgeStanza, WhatIsNone) {
  for (const std::string& text :
       {std::string(""), std::string("-> a"), std::string("-> a\n"), std::string("-> a\nZg"), std::string("->a\n\n"),
        std::string("-> \n\n"), std::string("-> a \n\n"), std::string("-> a  b\n\n"), std::string("-> a\r\n\n"),
        std::string("-> a\n") + std::string(64, 'A') + "\n", std::string("-> a\n") + std::string(65, 'A') + "\n\n",
        std::string("-> \xc3\xa4\n\n"), std::string("-> a\nZg==\n"), std::string("-> a\nZh\n"),
        std::string("-> a\tb\n\n")}) {
    std::string_view rest = text;
    EXPECT_THROW(static_cast<void>(read_age_stanza(rest)), Error) << text;
    EXPECT_EQ(rest, text);
  }
  EXPECT_THROW(static_cast<void>(age_stanza_text({}, {})), Error);
  EXPECT_THROW(static_cast<void>(age_stanza_text({"a b"}, {})), Error);
}

}  // namespace
}  // namespace phalanx::test
