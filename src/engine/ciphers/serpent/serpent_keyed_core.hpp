// The Serpent core for words with a three-input lookup: the round keys and part of the linear transformation L are inside
// the S-boxes' circuits (serpent_round_circuits.hpp), which saves one operation of 23 in a round of decryption and two in
// one of encryption.
//
// L is linear, so a key need not be added where the paper adds it, if it is brought to where it is added by the same sums.
// In encryption that of words 1 and 3 goes into L: y1 ^ (y0 <<< 13) ^ (y2 <<< 3) and the key are four terms, two lookups
// with room for a fifth, so the circuit leaves y1 as two terms. The keys of words 0 and 2, and all of them in decryption,
// are added by the lookups that first use those words, where they use only two.
#pragma once

#include "engine/ciphers/serpent/circuits/serpent_round_circuits.hpp"
#include "engine/ciphers/serpent/serpent_core.hpp"
#include "engine/ciphers/serpent/serpent_few_blocks.hpp"

namespace phalanx {
namespace {

/// The round keys also as SerpentKeyedRounds adds them.
struct SerpentKeyedSchedule : SerpentSchedule {
  alignas(64) std::uint32_t encrypt[33][4];
  alignas(64) std::uint32_t decrypt[33][4];

  /// The keys of a word's worth of rounds at once: a round key is laid out as a block is.
  template <class Word>
  PHALANX_INLINE void place_keys() {
    for (std::size_t round = 0; round < 32; round += blocks_in_word<Word>) {
      const auto place = [round](std::uint32_t(&keys)[33][4])
                             PHALANX_INLINE_LAMBDA { return reinterpret_cast<std::uint8_t*>(keys[round]); };
      const std::uint8_t* const from = place(key);
      Word K[4];
      load_block_words([from](std::size_t i) PHALANX_INLINE_LAMBDA { return Word::load(from + i * sizeof(Word)); }, 0, K);
      // x1 and x3 are rotated after their keys are added, and are then terms of x0 and x2.
      Word placed[4] = {K[0] ^ rotate_left32<5>(K[1] ^ K[3]), rotate_left32<31>(K[1]),
                        K[2] ^ rotate_left32<22>(K[3] ^ shift_left32<7>(K[1])), rotate_left32<25>(K[3])};
      SerpentLinear<Word>::unmix(K);
      const auto store_to = [](std::uint8_t* to) PHALANX_INLINE_LAMBDA {
        return [to](std::size_t i, Word v) PHALANX_INLINE_LAMBDA { v.store(to + i * sizeof(Word)); };
      };
      store_block_words(store_to(place(encrypt)), 0, placed);
      store_block_words(store_to(place(decrypt)), 0, K);
    }
    for (std::size_t round = 0; round <= 32; round += 32) {  // no L before the first key, nor after the last
      std::memcpy(encrypt[round], key[round], sizeof key[round]);
      std::memcpy(decrypt[round], key[round], sizeof key[round]);
    }
  }
};

/// The rounds over num_groups groups of blocks.
template <class Word, std::size_t num_groups>
struct SerpentKeyedRounds {
  using Linear = SerpentLinear<Word>;

  static PHALANX_INLINE void load_key(const std::uint32_t key[4], Word k[4]) {
    for (std::size_t i = 0; i < 4; ++i) k[i] = Word::broadcast32(key[i]);
  }

  /// S-box, linear transformation, and half of the next key: x[1] and x[3] hold theirs, the next box takes that of x[0] and
  /// x[2].
  template <unsigned box>
  static PHALANX_INLINE void encrypt_round(const std::uint32_t keys[2][4], Word x[num_groups][4]) {
    Word k[4];
    Word next[4];
    load_key(keys[0], k);
    load_key(keys[1], next);
#pragma GCC unroll 8
    for (std::size_t group = 0; group < num_groups; ++group) {
      Word* const w = x[group];
      const auto rotate = [](Word y0, Word y2, Word addend[2]) PHALANX_INLINE_LAMBDA {
        addend[0] = rotate_left32<13>(y0);
        addend[1] = rotate_left32<3>(y2);
      };
      Word a[2];  // y0 <<< 13 and y2 <<< 3
      SerpentKeyedBox<box, Direction::encrypt>::apply(w, k[0], k[2], rotate, a);
      w[1] = rotate_left32<1>(Linear::xor3(w[1], a[1], next[1]));
      w[3] = rotate_left32<7>(Linear::xor3(w[3], shift_left32<3>(a[0]), next[3]));
      w[0] = rotate_left32<5>(Linear::xor3(a[0], w[1], w[3]));
      w[2] = rotate_left32<22>(Linear::xor3(a[1], w[3], shift_left32<7>(w[1])));
    }
  }
  /// Round 31: the last key in place of the linear transformation.
  static PHALANX_INLINE void encrypt_last(const std::uint32_t keys[2][4], Word x[num_groups][4]) {
    Word k[4];
    Word next[4];
    load_key(keys[0], k);
    load_key(keys[1], next);
#pragma GCC unroll 8
    for (std::size_t group = 0; group < num_groups; ++group) {
      Word* const w = x[group];
      const auto take_keys = [&next](Word /*y0*/, Word /*y2*/, Word addend[2]) PHALANX_INLINE_LAMBDA {
        addend[0] = next[1];
        addend[1] = next[3];
      };
      Word a[2];
      SerpentKeyedBox<7, Direction::encrypt>::apply(w, k[0], k[2], take_keys, a);
      w[0] = w[0] ^ next[0];
      w[2] = w[2] ^ next[2];
    }
  }
  template <unsigned box, bool first>
  static PHALANX_INLINE void decrypt_round(const std::uint32_t key[4], Word x[num_groups][4]) {
    Word k[4];
    load_key(key, k);
#pragma GCC unroll 8
    for (std::size_t group = 0; group < num_groups; ++group) {
      if constexpr (!first) Linear::unmix(x[group]);
      SerpentKeyedBox<box, Direction::decrypt>::apply(x[group], k);
    }
  }

  static PHALANX_INLINE void encrypt(const std::uint32_t key[33][4], Word x[num_groups][4]) {
    for (std::size_t group = 0; group < num_groups; ++group) {
      for (std::size_t i = 1; i < 4; i += 2) x[group][i] = x[group][i] ^ Word::broadcast32(key[0][i]);
    }
    PHALANX_NO_UNROLL
    for (std::size_t round = 0;; round += 8) {
      encrypt_round<0>(key + round, x);
      encrypt_round<1>(key + round + 1, x);
      encrypt_round<2>(key + round + 2, x);
      encrypt_round<3>(key + round + 3, x);
      encrypt_round<4>(key + round + 4, x);
      encrypt_round<5>(key + round + 5, x);
      encrypt_round<6>(key + round + 6, x);
      if (round == 24) break;
      encrypt_round<7>(key + round + 7, x);
    }
    encrypt_last(key + 31, x);
  }
  static PHALANX_INLINE void decrypt(const std::uint32_t key[33][4], Word x[num_groups][4]) {
    decrypt_round<7, true>(key[32], x);
    PHALANX_NO_UNROLL
    for (std::size_t round = 24;; round -= 8) {
      decrypt_round<6, false>(key[round + 7], x);
      decrypt_round<5, false>(key[round + 6], x);
      decrypt_round<4, false>(key[round + 5], x);
      decrypt_round<3, false>(key[round + 4], x);
      decrypt_round<2, false>(key[round + 3], x);
      decrypt_round<1, false>(key[round + 2], x);
      decrypt_round<0, false>(key[round + 1], x);
      if (round == 0) break;
      decrypt_round<7, false>(key[round], x);
    }
    for (std::size_t group = 0; group < num_groups; ++group) {
      for (std::size_t i = 0; i < 4; ++i) x[group][i] = x[group][i] ^ Word::broadcast32(key[0][i]);
    }
  }

  /// Not inlined: every mode shares this one copy.
  template <Direction direction>
  static __attribute__((noinline)) void crypt(const SerpentKeyedSchedule& schedule, Word x[num_groups][4]) noexcept {
    Word y[num_groups][4];
    std::memcpy(y, x, sizeof y);
    if constexpr (direction == Direction::encrypt) {
      encrypt(schedule.encrypt, y);
    } else {
      decrypt(schedule.decrypt, y);
    }
    std::memcpy(x, y, sizeof y);
  }
};

template <class Word, class HalfWord, std::size_t num_groups>
struct SerpentKeyedCore;

/// A base of a core of num_groups groups: its Narrower one.
template <class Word, class HalfWord, std::size_t num_groups>
struct SerpentNarrower : WithNarrower<SerpentKeyedCore<Word, HalfWord, num_groups / 2>, true> {};
template <class Word, class HalfWord>
struct SerpentNarrower<Word, HalfWord, 1> : WithNarrower<SerpentFewBlocks<HalfWord, Word, SerpentKeyedSchedule>, true> {};

/// The core over num_groups words of blocks.
template <class Word, class HalfWord, std::size_t num_groups>
struct SerpentKeyedCore : SerpentLanes<Word, Word, num_groups>, SerpentNarrower<Word, HalfWord, num_groups> {
  static constexpr std::size_t serial_blocks = 1;
  static constexpr std::size_t serial_messages = 1;
  static constexpr std::size_t round_stack_bytes = 0;
  static constexpr std::size_t lane_round_stack_bytes = 0;
  static constexpr std::size_t clean_blocks = 0;
  using Schedule = SerpentKeyedSchedule;

  static void expand_key(const std::uint8_t* key, std::size_t key_bytes, Schedule& schedule) {
    SerpentKeySchedule::expand(key, key_bytes, schedule);
    schedule.template place_keys<Word>();
  }
  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt(const Schedule& schedule, Load load, Store store) {
    SerpentKeyedCore::crypt_groups(
        [&schedule](Word x[num_groups][4])
            PHALANX_INLINE_LAMBDA { SerpentKeyedRounds<Word, num_groups>::template crypt<direction>(schedule, x); },
        load, store);
  }
  template <Direction direction>
  static PHALANX_INLINE void crypt_block(const Schedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    SerpentFewBlocks<HalfWord, Word, Schedule>::template crypt_block<direction>(schedule, in, out);
  }
};

}  // namespace
}  // namespace phalanx
