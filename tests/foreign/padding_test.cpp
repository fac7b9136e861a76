#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <phalanx/files/padding.hpp>
#include <string>
#include <vector>

#include "tests/foreign/format_fixture.hpp"

namespace phalanx {
namespace {

using Block = std::vector<std::uint8_t>;

constexpr Padding all_paddings[] = {Padding::pkcs7, Padding::none, Padding::x923, Padding::iso7816, Padding::zero};
constexpr std::size_t block_sizes[] = {8, 16};

// The padded block, spelled out byte by byte from each definition. Padding all but `none` and `zero` adds at least a byte.
Block expected_block(Padding padding, const Block& message, std::size_t block_bytes) {
  Block block = message;
  const std::size_t count = block_bytes - message.size();
  for (std::size_t i = 0; i < count; ++i) {
    const bool first = i == 0;
    const bool last = i + 1 == count;
    switch (padding) {
      case Padding::pkcs7:
        block.push_back(static_cast<std::uint8_t>(count));
        break;
      case Padding::x923:
        block.push_back(last ? static_cast<std::uint8_t>(count) : 0);
        break;
      case Padding::iso7816:
        block.push_back(first ? 0x80 : 0x00);
        break;
      default:
        block.push_back(0);
        break;
    }
  }
  return block;
}

// By search: a block is well padded if padding some beginning of it gives it. The longest padding counts for zero; for the
// others at most one length fits.
PaddingCheck expected_check(Padding padding, const Block& block) {
  if (padding == Padding::none) return {true, block.size()};
  const std::size_t most = padding == Padding::zero ? block.size() : block.size() - 1;
  for (std::size_t used = 0; used <= most; ++used) {
    const Block message(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(used));
    if (expected_block(padding, message, block.size()) == block) return {true, used};
  }
  return {false, 0};
}

void expect_as_defined(Padding padding, const Block& block) {
  const PaddingCheck expected = expected_check(padding, block);
  const PaddingCheck found = check_padding(padding, block);
  ASSERT_EQ(found.valid, expected.valid) << padding_name(padding) << " " << testing::PrintToString(block);
  ASSERT_EQ(found.message_bytes, expected.message_bytes) << padding_name(padding) << " " << testing::PrintToString(block);
}

TEST(Padding, NamesParseBack) {
  for (const Padding padding : all_paddings) EXPECT_EQ(parse_padding(padding_name(padding)), padding);
  try {
    (void)parse_padding("pkcs5");
    FAIL() << "an unknown padding was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    for (const Padding padding : all_paddings) {
      EXPECT_NE(std::string(error.what()).find(padding_name(padding)), std::string::npos) << error.what();
    }
  }
}

TEST(Padding, PadsEveryLengthAsDefined) {
  for (const Padding padding : all_paddings) {
    for (const std::size_t block_bytes : block_sizes) {
      for (std::size_t used = 0; used < block_bytes; ++used) {
        if (padding == Padding::none && used != 0) continue;
        const Block message(used, 0x5a);
        Block block(block_bytes, 0xee);
        std::copy(message.begin(), message.end(), block.begin());
        const std::size_t padded = pad_last_block(padding, block, used);
        if (used == 0 && (padding == Padding::none || padding == Padding::zero)) {
          EXPECT_EQ(padded, 0U);
          continue;
        }
        EXPECT_EQ(padded, block_bytes);
        EXPECT_EQ(block, expected_block(padding, message, block_bytes)) << padding_name(padding) << " " << used;
        EXPECT_EQ(remove_padding(padding, block), used);
      }
    }
  }
}

TEST(Padding, NoneRefusesAPartBlock) {
  for (std::size_t used = 1; used < 16; ++used) {
    Block block(16);
    EXPECT_EQ(code_of([&] { (void)pad_last_block(Padding::none, block, used); }), ErrorCode::usage) << used;
  }
}

// Every block of four bytes over the values that matter.
TEST(Padding, ChecksEveryShortBlock) {
  constexpr std::uint8_t byte_values[] = {0, 1, 2, 3, 4, 5, 6, 0x7f, 0x80, 0x81, 0xfc, 0xff};
  for (const std::uint8_t a : byte_values) {
    for (const std::uint8_t b : byte_values) {
      for (const std::uint8_t c : byte_values) {
        for (const std::uint8_t d : byte_values) {
          for (const Padding padding : all_paddings) ASSERT_NO_FATAL_FAILURE(expect_as_defined(padding, {a, b, c, d}));
        }
      }
    }
  }
}

// Every length of padding in blocks of 8 and 16, with every byte of the block changed to every other value.
TEST(Padding, ChecksEveryChangedByte) {
  for (const Padding padding : all_paddings) {
    for (const std::size_t block_bytes : block_sizes) {
      for (std::size_t used = 0; used < block_bytes; ++used) {
        const Block padded = expected_block(padding, Block(used, 0x33), block_bytes);
        for (std::size_t place = 0; place < block_bytes; ++place) {
          Block block = padded;
          for (unsigned value = 0; value < 256; ++value) {
            block[place] = static_cast<std::uint8_t>(value);
            ASSERT_NO_FATAL_FAILURE(expect_as_defined(padding, block));
          }
        }
      }
    }
  }
}

TEST(Padding, EveryFailureIsTheSameError) {
  const Block bad_blocks[] = {Block(8, 0), Block(8, 9), Block(8, 0xff), {1, 2, 3, 4, 5, 6, 3, 3}};
  std::string message;
  for (const Block& block : bad_blocks) {
    try {
      (void)remove_padding(Padding::pkcs7, block);
      FAIL() << "bad padding was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::wrong_key);
      EXPECT_EQ(std::string(error.what()).find("padding does not check"), 0U);
      if (message.empty()) message = error.what();
      EXPECT_EQ(error.what(), message);
    }
  }
}

TEST(Padding, ZeroTakesTheMessagesOwnZeros) {
  EXPECT_EQ(remove_padding(Padding::zero, Block{1, 0, 2, 0, 0, 0, 0, 0}), 3U);
  EXPECT_EQ(remove_padding(Padding::zero, Block(8, 0)), 0U);
  EXPECT_EQ(remove_padding(Padding::zero, Block(8, 7)), 8U);
}

}  // namespace
}  // namespace phalanx
