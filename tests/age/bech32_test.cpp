#include "files/age/bech32.hpp"

#include <gtest/gtest.h>

#include <phalanx/error.hpp>

#include "engine/text/characters.hpp"
#include "files/age/age_stanza.hpp"

namespace phalanx::test {
namespace {

// BIP 173, "Test vectors". Its last valid one but two has data of 410 bits, whose spare bits are not zero: of bytes it is none.
TEST(Bech32, ValidOnesOfItsStandard) {
  for (const char* const given :
       {"A12UEL5L", "a12uel5l", "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
        "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w"}) {
    const std::string text = given;
    const Bech32 decoded = decode_bech32(text);
    const std::string prefix = text.substr(0, text.rfind('1'));
    EXPECT_EQ(decoded.prefix, lower_case(prefix));
    EXPECT_EQ(characters_of(encode_bech32(prefix, decoded.data)), text);
  }
}

TEST(Bech32, InvalidOnesOfItsStandard) {
  for (const char* const given : {"\x20"
                                  "1nwldj5",
                                  "\x7f"
                                  "1axkwrx",
                                  "\x80"
                                  "1eym55h",
                                  "pzry9x0s0muk", "1pzry9x0s0muk", "x1b4n0q5v", "li1dgmt3", "de1lg7wt\xff", "A1G7SGD8",
                                  "10a06t8", "1qzzfhee", "", "1", "a1", "A12uEL5L", "a12uel5x"}) {
    EXPECT_THROW(static_cast<void>(decode_bech32(given)), Error) << given;
  }
}

TEST(Bech32, EveryLengthComesBack) {
  for (std::size_t size = 0; size < 100; ++size) {
    SecretBytes data(size);
    for (std::size_t i = 0; i < size; ++i) data.data()[i] = static_cast<std::uint8_t>(i * 37 + size);
    for (const char* prefix : {"age", "AGE-SECRET-KEY-", "a1b"}) {
      const SecretBytes text = encode_bech32(prefix, data);
      const Bech32 decoded = decode_bech32(characters_of(text));
      EXPECT_TRUE(std::ranges::equal(Bytes(decoded.data), Bytes(data)));
      EXPECT_EQ(decoded.is_upper, std::string_view(prefix).starts_with("AGE"));
      SecretBytes changed{Bytes(text)};
      changed.data()[text.size() - 3] ^= 1;
      EXPECT_THROW(static_cast<void>(decode_bech32(characters_of(changed))), Error);
    }
  }
}

// Two of 5 bits are left over by 3 bytes: of bits that belong to none, the last may be no 1.
TEST(Bech32, SpareBitsAreZero) {
  const SecretBytes one(1);
  const std::string text(characters_of(encode_bech32("a", one)));
  EXPECT_EQ(text.substr(0, 4), "a1qq");
  EXPECT_THROW(static_cast<void>(decode_bech32("a1qp" + text.substr(4))), Error);
}

}  // namespace
}  // namespace phalanx::test
