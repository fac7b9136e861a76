// Serpent's key schedule, section 4 of the paper (serpent_rounds.hpp): of one key, or of a key in each lane.
#pragma once

#include "engine/ciphers/serpent/serpent_rounds.hpp"

namespace phalanx {
namespace {

/// The schedule over a word of lanes; round key j goes to out + j * step, word by word.
template <class Word>
struct SerpentPrekeys {
  std::uint8_t* out;
  std::size_t step;
  Word w
      [8];  ///< the last eight prekeys; first the key, least significant word first, a short one followed by a one and zeros

  /// w(i) = (w(i-8) ^ w(i-5) ^ w(i-3) ^ w(i-1) ^ phi ^ i) <<< 11 for the next eight i: two round keys before their S-boxes.
  PHALANX_INLINE void advance(std::uint32_t first) {
    constexpr std::uint32_t phi = 0x9e3779b9;
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; ++i) {
      const Word earlier = lut3<0x96>(w[i], w[(i + 3) % 8], w[(i + 5) % 8] ^ Word::broadcast32(phi ^ (first + i)));
      w[i] = rotate_left32<11>(earlier ^ w[(i + 7) % 8]);
    }
  }
  /// K_j is four prekeys through the S-box (3 - j) mod 8: `odd` says whether j is.
  template <unsigned box, unsigned odd>
  PHALANX_INLINE void substitute(std::size_t j) const {
    Word K[4] = {w[4 * odd], w[4 * odd + 1], w[4 * odd + 2], w[4 * odd + 3]};
    serpent_box<box, Direction::encrypt>(K);
    for (std::size_t i = 0; i < 4; ++i) K[i].store(out + j * step + i * sizeof(Word));
  }
  PHALANX_INLINE void expand() {
    for (std::uint32_t j = 0; j < 32; j += 8) {
      advance(4 * j);
      substitute<3, 0>(j);
      substitute<2, 1>(j + 1);
      advance(4 * j + 8);
      substitute<1, 0>(j + 2);
      substitute<0, 1>(j + 3);
      advance(4 * j + 16);
      substitute<7, 0>(j + 4);
      substitute<6, 1>(j + 5);
      advance(4 * j + 24);
      substitute<5, 0>(j + 6);
      substitute<4, 1>(j + 7);
    }
    advance(128);
    substitute<3, 0>(32);
  }
};

/// Numbers that stand in memory with the lowest byte first become the machine's own.
PHALANX_INLINE void to_own_order(std::uint32_t* words, std::size_t count) {
  if constexpr (machine_is_big_endian) {
    for (std::size_t i = 0; i < count; ++i) words[i] = load_u32(words + i);
  }
}

struct SerpentKeySchedule {
  static void expand(const std::uint8_t* key, std::size_t key_bytes, SerpentSchedule& schedule) {
    std::uint32_t words[8] = {};
    std::memcpy(words, key, key_bytes);
    to_own_order(words, 8);
    if (key_bytes < 32) words[key_bytes / 4] = 1;
    SerpentPrekeys<Word32> prekeys{reinterpret_cast<std::uint8_t*>(schedule.key), sizeof schedule.key[0], {}};
    for (std::size_t i = 0; i < 8; ++i) prekeys.w[i] = {words[i]};
    prekeys.expand();
    to_own_order(schedule.key[0], 4 * 33);
  }

  /// A key for each block of group `group`: bytes 8 i to 8 i + 7 of that of block j lie at keys + 8 * (i * stride + j).
  template <class Word, std::size_t num_groups>
  static void expand_lanes(const std::uint8_t* keys, std::size_t stride, std::size_t key_bytes, std::size_t group,
                           SerpentLaneKeys<num_groups, blocks_in_word<Word>>& lane_keys) {
    alignas(64) std::uint32_t words[8][blocks_in_word<Word>] = {};
    for (std::size_t j = 0; j < blocks_in_word<Word>; ++j) {
      const std::size_t lane = lane_of_block<Word>(j);
      for (std::size_t i = 0; i < key_bytes / 4; ++i) words[i][lane] = load_u32(keys + 8 * (i / 2 * stride + j) + i % 2 * 4);
      if (key_bytes < 32) words[key_bytes / 4][lane] = 1;
    }
    to_own_order(words[0], 8 * blocks_in_word<Word>);  // and back
    SerpentPrekeys<Word> prekeys{reinterpret_cast<std::uint8_t*>(lane_keys.key[0][group]), sizeof lane_keys.key[0], {}};
    for (std::size_t i = 0; i < 8; ++i) prekeys.w[i] = Word::load(words[i]);
    prekeys.expand();
  }
};

}  // namespace
}  // namespace phalanx
