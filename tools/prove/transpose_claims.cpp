// The transposes of 64-bit blocks to planes and back, and counters made as planes: for each word that has its own.
// clang-format off: first of all
#include "recorded_std.hpp"
// clang-format on
#include "engine/lanes/counter_planes.hpp"
#include "engine/lanes/transpose_avx2.hpp"
#include "engine/lanes/transpose_avx512.hpp"
#include "engine/lanes/transpose_neon.hpp"
#include "engine/lanes/transpose_scalar.hpp"
#include "recorded_crypt.hpp"

namespace prove {
namespace {

template <class Word>
constexpr std::size_t lanes_of = 8 * sizeof(Word);

// Bit n of a block, from the top bit of its first byte.
Literal bit_of_block(const Signals& block, std::size_t n) { return block[n ^ 7]; }

// Planes in memory: bit n of the block in `lane`.
template <class Word, class Transpose>
Literal bit_of_planes(const std::vector<Signals>& planes, std::size_t lane, std::size_t n) {
  return planes[n][Transpose::position(lane)];
}

template <class Word, class Transpose>
Recording to_planes() {
  static UnknownBlocks<8, lanes_of<Word>> blocks;
  static std::uint8_t planes[64 * sizeof(Word)];
  Transpose::to_planes(loads_of<Word>(blocks.bytes), stores_to<Word>(planes));
  Recording recording;
  std::vector<Signals> now;
  for (std::size_t n = 0; n < 64; ++n) now.push_back(read_memory(planes + n * sizeof(Word), sizeof(Word)));
  for (std::size_t lane = 0; lane < lanes_of<Word>; ++lane) {
    for (std::size_t n = 0; n < 64; ++n) {
      recording.implementation.push_back(bit_of_planes<Word, Transpose>(now, lane, n));
      recording.specification.push_back(bit_of_block(blocks.inputs[lane], n));
    }
  }
  return recording;
}

template <class Word, class Transpose>
Recording from_planes() {
  static UnknownBlocks<sizeof(Word), 64> planes;
  static std::uint8_t blocks[64 * sizeof(Word)];
  Transpose::from_planes(loads_of<Word>(planes.bytes), stores_to<Word>(blocks));
  Recording recording;
  for (std::size_t lane = 0; lane < lanes_of<Word>; ++lane) {
    const Signals block = block_signals(blocks, 8, lane);
    for (std::size_t n = 0; n < 64; ++n) {
      recording.implementation.push_back(bit_of_block(block, n));
      recording.specification.push_back(bit_of_planes<Word, Transpose>(planes.inputs, lane, n));
    }
  }
  return recording;
}

// Lane j's counter is first + j.
template <class Word, class Transpose>
Recording counters() {
  const Signals first = graph().inputs(64);
  std::uint8_t planes[64 * sizeof(Word)];
  const auto put = stores_to<Word>(planes);
  phalanx::make_counter_planes<Word, Transpose>(phalanx::std::uint64_t::of(first), put);
  Recording recording;
  std::vector<Signals> now;
  for (std::size_t n = 0; n < 64; ++n) now.push_back(read_memory(planes + n * sizeof(Word), sizeof(Word)));
  for (std::size_t lane = 0; lane < lanes_of<Word>; ++lane) {
    Signals number(64, zero);
    for (std::size_t bit = 0; bit < 64; ++bit) number[bit] = lane >> bit & 1;
    const Signals counter = add(first, number, zero);
    for (std::size_t n = 0; n < 64; ++n) {
      recording.implementation.push_back(bit_of_planes<Word, Transpose>(now, lane, n));
      recording.specification.push_back(counter[63 - n]);
    }
  }
  return recording;
}

template <class Word, class Transpose>
void add_claims(const std::string& word, std::vector<Claim>& claims) {
  claims.push_back({"transpose.to_planes." + word, to_planes<Word, Transpose>});
  claims.push_back({"transpose.from_planes." + word, from_planes<Word, Transpose>});
}

}  // namespace

std::vector<Claim> transpose_claims() {
  using phalanx::LookupWord64;
  using phalanx::PlainTranspose;
  using phalanx::Word64;
  std::vector<Claim> claims;
  add_claims<Word64, PlainTranspose<Word64>>("plain", claims);
  add_claims<phalanx::Word256, phalanx::Transpose256>("avx2", claims);
  add_claims<phalanx::Word512, phalanx::MatrixTranspose<phalanx::Word512>>("avx512", claims);
  add_claims<phalanx::HalfWord512, phalanx::MatrixTranspose<phalanx::HalfWord512>>("avx512_half", claims);
  add_claims<phalanx::NeonWord, phalanx::NeonTranspose>("neon", claims);
  claims.push_back({"counters.two_input", counters<Word64, PlainTranspose<Word64>>});
  claims.push_back({"counters.three_input", counters<LookupWord64, PlainTranspose<LookupWord64>>});
  return claims;
}

}  // namespace prove
