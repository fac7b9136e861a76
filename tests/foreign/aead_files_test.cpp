// Bare messages of an AEAD: where their parts stand, and the stages of a run, in whatever order pieces come.
#include <gtest/gtest.h>

#include <algorithm>
#include <phalanx/aead.hpp>
#include <string>
#include <vector>

#include "files/foreign/aead/aead_layout.hpp"
#include "files/foreign/aead/aead_stages.hpp"
#include "format_fixture.hpp"
#include "temporary_folder.hpp"

namespace phalanx {
namespace {

using Buffer = std::vector<std::uint8_t>;

Buffer counted(std::size_t size, std::uint8_t first = 0) {
  Buffer bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(first + 7 * i);
  return bytes;
}

const Buffer key = counted(32), nonce = counted(12, 9);
constexpr std::size_t piece_bytes = 1024;

AeadInParts message_of(const std::string& name = "aes-256-gcm") {
  return {name, key, nonce, to_bytes("page 7"), EngineOptions{.num_threads = 1}};
}

// What a stage gets, and what it works on.
struct TestedPiece {
  Buffer memory;
  Piece piece;

  TestedPiece(const Buffer& text, std::uint64_t number) {
    const PieceRange range = piece_range(number, text.size(), piece_bytes);
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(range.offset);
    memory.assign(begin, begin + static_cast<std::ptrdiff_t>(range.size));
    memory.resize(range.size + max_padding_bytes);
    piece.number = number;
    piece.buffer = memory;
    piece.size = range.size;
    piece.offset = range.offset;
    piece.last = range.last;
  }
};

// Through a stage in this order. Returns the text that it becomes.
Buffer run_through(PipelineStage& stage, const Buffer& text, const std::vector<std::uint64_t>& order) {
  Buffer made(text.size());
  for (const std::uint64_t number : order) {
    TestedPiece tested(text, number);
    stage.process(tested.piece);
    std::ranges::copy(tested.piece.content(), made.begin() + static_cast<std::ptrdiff_t>(tested.piece.offset));
  }
  return made;
}

std::vector<std::uint64_t> turned(std::uint64_t num_pieces) {
  std::vector<std::uint64_t> order;
  for (std::uint64_t number = num_pieces; number-- != 0;) order.push_back(number);
  return order;
}

TEST(AeadStages, SealInAnyOrder) {
  const Aead aead("aes-256-gcm", key);
  for (const std::size_t size : {0, 1, 1023, 1024, 1039, 1040, 5000, 8192}) {
    const Buffer plain = counted(size, 3);
    Buffer expected(size), expected_tag(16), tag(16);
    aead.seal(nonce, to_bytes("page 7"), plain, expected, expected_tag);
    const AeadInParts message = message_of();
    AeadSealing sealing(message);
    EXPECT_EQ(run_through(sealing, plain, turned(num_pieces_of(size, piece_bytes))), expected) << size;
    sealing.write_tag(tag.data());
    EXPECT_EQ(tag, expected_tag) << size;
  }
}

TEST(AeadStages, OpenWhatWasHashedAndNothingElse) {
  const Buffer plain = counted(5000, 3);
  const AeadInParts message = message_of();
  AeadSealing sealing(message);
  const std::uint64_t num_pieces = num_pieces_of(plain.size(), piece_bytes);
  Buffer sealed = run_through(sealing, plain, turned(num_pieces));
  PieceHashes hashes(num_pieces);
  AeadHashing hashing(message, hashes);
  EXPECT_EQ(run_through(hashing, sealed, turned(num_pieces)), sealed);
  AeadOpening opening(message, hashes, "IN");
  EXPECT_EQ(run_through(opening, sealed, turned(num_pieces)), plain);
  sealed[2500] ^= 1;
  for (std::uint64_t number = 0; number < num_pieces; ++number) {
    TestedPiece tested(sealed, number);
    const ErrorCode code = code_of([&] { opening.process(tested.piece); });
    EXPECT_EQ(code, number == 2 ? ErrorCode::runtime : ErrorCode{0});
    const auto num_zeros = static_cast<std::size_t>(std::ranges::count(tested.piece.content(), 0));
    EXPECT_EQ(num_zeros == tested.piece.size, number == 2);
  }
}

TEST(AeadStages, SealNoMoreThanAMessageMayHave) {
  constexpr std::uint64_t most = (std::uint64_t{1} << 36) - 32;
  const AeadInParts message = message_of();
  AeadSealing sealing(message);
  Buffer memory(64);
  const auto seal_at = [&](std::uint64_t offset, std::size_t size) {
    Piece piece;
    piece.buffer = memory;
    piece.offset = offset;
    piece.size = size;
    return code_of([&] { sealing.process(piece); });
  };
  EXPECT_EQ(seal_at(most - 16, 16), ErrorCode{0});
  EXPECT_EQ(seal_at(most - 16, 17), ErrorCode::usage);
  EXPECT_EQ(seal_at(most, 1), ErrorCode::usage);
  EXPECT_EQ(code_of([] { check_aead_length("aes-256-gcm", most); }), ErrorCode{0});
  EXPECT_EQ(code_of([] { check_aead_length("aes-256-gcm", most + 1); }), ErrorCode::usage);
}

TEST(AeadInParts, RefuseWhatDoesNotFit) {
  const auto make = [](const char* name, std::size_t key_bytes, std::size_t nonce_bytes) {
    return code_of([&] { AeadInParts(name, counted(key_bytes), counted(nonce_bytes), {}, {}); });
  };
  EXPECT_EQ(make("aes-256-gcm", 32, 1), ErrorCode{0});
  EXPECT_EQ(make("aes-256-gcm", 32, 0), ErrorCode::usage);
  EXPECT_EQ(make("aes-256-gcm", 16, 12), ErrorCode::usage);
  EXPECT_EQ(make("xaes-256-gcm", 32, 24), ErrorCode{0});
  EXPECT_EQ(make("xaes-256-gcm", 32, 12), ErrorCode::usage);
}

class AeadLayouts : public testing::Test {
 protected:
  AeadParts parts_of(const AeadLayout& layout, const Buffer& file) {
    const Input input(folder_.write("message", file));
    return find_aead_parts(layout, input);
  }

  test::TemporaryFolder folder_;
};

TEST_F(AeadLayouts, AreFound) {
  const Buffer file = counted(100);
  const auto part = [&](std::size_t begin, std::size_t end) {
    return Buffer(file.begin() + static_cast<std::ptrdiff_t>(begin), file.begin() + static_cast<std::ptrdiff_t>(end));
  };
  const auto expect = [&](const AeadLayout& layout, const Buffer& at_front, const Buffer& tag, std::uint64_t position,
                          std::uint64_t num_bytes) {
    const AeadParts parts = parts_of(layout, file);
    EXPECT_EQ(parts.nonce, at_front);
    EXPECT_EQ(parts.tag, tag);
    EXPECT_EQ(parts.position, position);
    EXPECT_EQ(parts.num_bytes, num_bytes);
  };
  expect({}, part(0, 12), part(84, 100), 12, 72);
  expect({.tag_first = true}, part(0, 12), part(12, 28), 28, 72);
  expect({.nonce_bytes = 16, .tag_bytes = 13}, part(0, 16), part(87, 100), 16, 71);
  expect({.nonce = nonce}, nonce, part(84, 100), 0, 84);
  expect({.nonce = nonce, .tag_first = true}, nonce, part(0, 16), 16, 84);
  expect({.tag = part(0, 16)}, part(0, 12), part(0, 16), 12, 88);
  expect({.nonce = nonce, .tag = part(0, 16)}, nonce, part(0, 16), 0, 100);
}

TEST_F(AeadLayouts, OfWhatIsTooShort) {
  EXPECT_EQ(parts_of({}, counted(28)).num_bytes, 0U);
  EXPECT_EQ(code_of([&] { parts_of({}, counted(27)); }), ErrorCode::truncated);
  EXPECT_EQ(code_of([&] { parts_of({.nonce = nonce}, counted(15)); }), ErrorCode::truncated);
  EXPECT_EQ(code_of([&] { parts_of({.tag = counted(16)}, counted(11)); }), ErrorCode::truncated);
}

}  // namespace
}  // namespace phalanx
