// KEYEXPANSION() of FIPS 197, section 5.2, for any core: the core brings SUBWORD().
#pragma once

#include "engine/lanes/lane_word.hpp"

namespace phalanx {
namespace {

/// Fills round_keys, the words w of algorithm 2 one after another; a key has Nk = Nr - 6 words (table 3). `sub_word(w)`
/// applies SBOX() to each byte of a word. Words are loaded little-endian here, so that ROTWORD() is a rotation to the right
/// and Rcon is in the lowest byte.
template <int num_rounds, class SubWord>
PHALANX_INLINE void aes_expand_key(const std::uint8_t* key, std::uint8_t (*round_keys)[16], SubWord sub_word) {
  constexpr int num_key_words = num_rounds - 6;  // Nk
  std::uint8_t* const words = round_keys[0];
  std::memcpy(words, key, 4 * num_key_words);
  std::uint32_t previous = load_u32(words + 4 * (num_key_words - 1));
  std::uint32_t round_constant = 1;
  for (int i = num_key_words; i < 4 * (num_rounds + 1); ++i) {
    if (i % num_key_words == 0) {
      previous = sub_word(previous >> 8 | previous << 24) ^ round_constant;
      round_constant = round_constant << 1 ^ (round_constant >> 7) * 0x11b;
    } else if (num_key_words == 8 && i % num_key_words == 4) {
      previous = sub_word(previous);
    }
    previous ^= load_u32(words + 4 * (i - num_key_words));
    store_u32(words + 4 * i, previous);
  }
}

}  // namespace
}  // namespace phalanx
