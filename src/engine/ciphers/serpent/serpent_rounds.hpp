// Serpent's rounds over any word of 32-bit lanes: R. Anderson, E. Biham, L. Knudsen, "Serpent: A Proposal for the Advanced
// Encryption Standard", 1998, in its bitslice form: word i of a block holds bit i of all 32 S-boxes, so that IP and FP do
// not exist. Bytes are in the order of NESSIE and libgcrypt, the least significant of the paper's numbers first.
#pragma once

#include "engine/ciphers/serpent/circuits/serpent_sbox_circuits.hpp"
#include "engine/ciphers/serpent/circuits/serpent_sbox_two_input_circuits.hpp"
#include "engine/lanes/block_words.hpp"

namespace phalanx {
namespace {

/// The round keys K0 to K32, four words each.
struct SerpentSchedule {
  alignas(64) std::uint32_t key[33][4];
};

/// One key in every lane.
struct SerpentSharedKey {
  const SerpentSchedule& schedule;

  template <class Word>
  PHALANX_INLINE void add(std::size_t round, std::size_t /*group*/, Word x[4]) const {
    for (std::size_t i = 0; i < 4; ++i) x[i] = x[i] ^ Word::broadcast32(schedule.key[round][i]);
  }
};

/// A key in each lane of num_groups words.
template <std::size_t num_groups, std::size_t num_lanes>
struct SerpentLaneKeys {
  alignas(64) std::uint32_t key[33][num_groups][4][num_lanes];

  template <class Word>
  PHALANX_INLINE void add(std::size_t round, std::size_t group, Word x[4]) const {
    for (std::size_t i = 0; i < 4; ++i) x[i] = x[i] ^ Word::load(key[round][group][i]);
  }
};

/// An S-box or its inverse, by the circuit for the word's machine.
template <unsigned box, Direction direction, class Word>
PHALANX_INLINE void serpent_box(Word x[4]) {
  if constexpr (LacksLut3<Word>) {
    SerpentTwoInputBox<box, direction>::apply(x);
  } else {
    SerpentBox<box, direction>::apply(x);
  }
}

/// The linear transformation (section 3).
template <class Word>
struct SerpentLinear {
  static PHALANX_INLINE Word xor3(Word a, Word b, Word c) { return lut3<0x96>(a, b, c); }

  static PHALANX_INLINE void mix(Word x[4]) {
    x[0] = rotate_left32<13>(x[0]);
    x[2] = rotate_left32<3>(x[2]);
    x[1] = rotate_left32<1>(xor3(x[1], x[0], x[2]));
    x[3] = rotate_left32<7>(xor3(x[3], x[2], shift_left32<3>(x[0])));
    x[0] = rotate_left32<5>(xor3(x[0], x[1], x[3]));
    x[2] = rotate_left32<22>(xor3(x[2], x[3], shift_left32<7>(x[1])));
  }
  static PHALANX_INLINE void unmix(Word x[4]) {
    x[2] = xor3(rotate_left32<10>(x[2]), x[3], shift_left32<7>(x[1]));
    x[0] = xor3(rotate_left32<27>(x[0]), x[1], x[3]);
    x[3] = xor3(rotate_left32<25>(x[3]), x[2], shift_left32<3>(x[0]));
    x[1] = xor3(rotate_left32<31>(x[1]), x[0], x[2]);
    x[2] = rotate_left32<29>(x[2]);
    x[0] = rotate_left32<19>(x[0]);
  }
};

/// The rounds over num_groups groups of blocks: groups do not wait for one another, so each hides the latency of the others.
template <class Word, std::size_t num_groups>
struct SerpentRounds {
  using Linear = SerpentLinear<Word>;

  template <unsigned box, bool last, class Keys>
  static PHALANX_INLINE void encrypt_round(const Keys& keys, std::size_t round, Word x[num_groups][4]) {
#pragma GCC unroll 8
    for (std::size_t group = 0; group < num_groups; ++group) {
      keys.add(round, group, x[group]);
      serpent_box<box, Direction::encrypt>(x[group]);
      if constexpr (!last) Linear::mix(x[group]);
    }
  }
  template <unsigned box, bool last, class Keys>
  static PHALANX_INLINE void decrypt_round(const Keys& keys, std::size_t round, Word x[num_groups][4]) {
#pragma GCC unroll 8
    for (std::size_t group = 0; group < num_groups; ++group) {
      if constexpr (!last) Linear::unmix(x[group]);
      serpent_box<box, Direction::decrypt>(x[group]);
      keys.add(round, group, x[group]);
    }
  }
  template <class Keys>
  static PHALANX_INLINE void add_last_key(const Keys& keys, Word x[num_groups][4]) {
    for (std::size_t group = 0; group < num_groups; ++group) keys.add(32, group, x[group]);
  }

  template <class Keys>
  static PHALANX_INLINE void encrypt(const Keys& keys, Word x[num_groups][4]) {
    PHALANX_NO_UNROLL
    for (std::size_t round = 0;; round += 8) {
      encrypt_round<0, false>(keys, round, x);
      encrypt_round<1, false>(keys, round + 1, x);
      encrypt_round<2, false>(keys, round + 2, x);
      encrypt_round<3, false>(keys, round + 3, x);
      encrypt_round<4, false>(keys, round + 4, x);
      encrypt_round<5, false>(keys, round + 5, x);
      encrypt_round<6, false>(keys, round + 6, x);
      if (round == 24) break;
      encrypt_round<7, false>(keys, round + 7, x);
    }
    encrypt_round<7, true>(keys, 31, x);
    add_last_key(keys, x);
  }
  template <class Keys>
  static PHALANX_INLINE void decrypt(const Keys& keys, Word x[num_groups][4]) {
    add_last_key(keys, x);
    decrypt_round<7, true>(keys, 31, x);
    PHALANX_NO_UNROLL
    for (std::size_t round = 24;; round -= 8) {
      decrypt_round<6, false>(keys, round + 6, x);
      decrypt_round<5, false>(keys, round + 5, x);
      decrypt_round<4, false>(keys, round + 4, x);
      decrypt_round<3, false>(keys, round + 3, x);
      decrypt_round<2, false>(keys, round + 2, x);
      decrypt_round<1, false>(keys, round + 1, x);
      decrypt_round<0, false>(keys, round, x);
      if (round == 0) break;
      decrypt_round<7, false>(keys, round - 1, x);
    }
  }

  /// Not inlined: every mode shares this one copy.
  template <Direction direction, class Keys>
  static __attribute__((noinline)) void crypt(const Keys& keys, Word x[num_groups][4]) noexcept {
    Word y[num_groups][4];
    std::memcpy(y, x, sizeof y);
    if constexpr (direction == Direction::encrypt) {
      encrypt(keys, y);
    } else {
      decrypt(keys, y);
    }
    std::memcpy(x, y, sizeof y);
  }
};

}  // namespace
}  // namespace phalanx
