// 128-bit blocks as memory has them, and the same blocks as four 32-bit words in lanes: what Serpent and Twofish compute
// with.
#pragma once

#include "engine/lanes/word_scalar.hpp"

namespace phalanx {
namespace {

/// Blocks that fit one word of 32-bit lanes: each of its lanes holds a quarter of a block.
template <class Word>
inline constexpr std::size_t blocks_in_word = sizeof(Word) / 4;

/// Returns the lane that block `block` of a group of blocks_in_word lies in, for load_block_words below.
template <class Word>
PHALANX_INLINE constexpr std::size_t lane_of_block(std::size_t block) {
  constexpr std::size_t blocks_in_vector = sizeof(Word) / 16;
  return block % blocks_in_vector * 4 + block / blocks_in_vector;
}

/// Transposes the 4 x 4 matrix of 32-bit numbers that each 128-bit element of the four words makes. Its own inverse.
template <class Word>
PHALANX_INLINE void transpose_dwords(Word x[4]) {
  const Word low01 = unpack_low32(x[0], x[1]);
  const Word high01 = unpack_high32(x[0], x[1]);
  const Word low23 = unpack_low32(x[2], x[3]);
  const Word high23 = unpack_high32(x[2], x[3]);
  x[0] = unpack_low64(low01, low23);
  x[1] = unpack_high64(low01, low23);
  x[2] = unpack_low64(high01, high23);
  x[3] = unpack_high64(high01, high23);
}

/// x[i] = word i (bytes 4i to 4i + 3, little-endian) of the blocks of vectors 4 * group to 4 * group + 3.
template <class Word, class Load>
PHALANX_INLINE void load_block_words(Load load, std::size_t group, Word x[4]) {
  for (std::size_t i = 0; i < 4; ++i) x[i] = load(4 * group + i);
  transpose_dwords(x);
}
template <class Word, class Store>
PHALANX_INLINE void store_block_words(Store store, std::size_t group, Word x[4]) {
  transpose_dwords(x);
  for (std::size_t i = 0; i < 4; ++i) store(4 * group + i, x[i]);
}

/// One block and its four words.
PHALANX_INLINE void split_block(Block128 block, Word32 x[4]) {
  for (int i = 0; i < 4; ++i) x[i] = {static_cast<std::uint32_t>(block.half[i / 2] >> (i % 2 * 32))};
}
PHALANX_INLINE Block128 join_block(const Word32 x[4]) {
  return {{x[0].bits | std::uint64_t{x[1].bits} << 32, x[2].bits | std::uint64_t{x[3].bits} << 32}};
}

}  // namespace
}  // namespace phalanx
