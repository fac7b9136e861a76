// The pieces of a plaintext come in any order, and to several stages: what is found is the same.
#include "files/migration/plaintext_kind_stage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

struct Found {
  std::string kind;
  bool is_text, begins_beyond_chance, ends_as_padding;
  bool operator==(const Found&) const = default;
};

// Each piece by one of three stages, in this order; what they have seen is told to a fourth.
Found look(Buffer text, const std::vector<std::uint64_t>& order) {
  std::array<PlaintextKindStage, 3> others;
  const std::uint64_t num_pieces = num_pieces_of(text.size(), piece_bytes);
  for (const std::uint64_t number : order) {
    const PieceRange range = piece_range(number, text.size(), piece_bytes);
    Piece piece;
    piece.number = number;
    piece.buffer = MutableBytes(text).subspan(static_cast<std::size_t>(range.offset), range.size);
    piece.size = range.size;
    piece.offset = range.offset;
    piece.last = range.last;
    others[number % others.size()].process(piece);
  }
  EXPECT_EQ(order.size(), num_pieces);
  PlaintextKindStage all;
  for (const PlaintextKindStage& other : others) {
    all.merge(other.seen());
  }
  return {all.kind(), all.is_text(), all.begins_beyond_chance(8) && all.begins_beyond_chance(16), all.ends_as_padding()};
}

Buffer text_of(std::size_t num_bytes) {
  Buffer text(num_bytes);
  for (std::size_t i = 0; i < num_bytes; ++i) text[i] = i % 72 == 71 ? '\n' : static_cast<std::uint8_t>('a' + i % 26);
  return text;
}

TEST(PlaintextKindStage, NoiseInAnyPieceIsHeardOf) {
  const std::size_t num_bytes = 4 * piece_bytes + 16;
  std::vector<std::uint64_t> order{0, 1, 2, 3, 4};
  const Found whole{"text", true, true, false};
  do {
    ASSERT_EQ(look(text_of(num_bytes), order), whole);
  } while (std::next_permutation(order.begin(), order.begin() + 3));
  const Buffer noise = varied(piece_bytes / 2, 5);
  for (std::size_t at = 0; at < num_bytes - noise.size(); at += piece_bytes / 2) {
    Buffer text = text_of(num_bytes);
    std::ranges::copy(noise, text.begin() + static_cast<std::ptrdiff_t>(at));
    EXPECT_FALSE(look(text, {4, 2, 0, 3, 1}).is_text) << at;
  }
}

TEST(PlaintextKindStage, BothEndsAreHeardOf) {
  Buffer text = text_of(2 * piece_bytes + 16);
  text.front() = 0xc3;
  text[1] = 0xa4;
  std::fill(text.end() - 10, text.end(), std::uint8_t{'\n'});
  EXPECT_EQ(look(text, {2, 1, 0}), (Found{"text", true, false, true}));
  text.back() = 1;
  EXPECT_EQ(look(text, {2, 1, 0}), (Found{"text", false, false, true})) << "a single byte of 1 is padding, and no text";
}

}  // namespace
}  // namespace phalanx::test
