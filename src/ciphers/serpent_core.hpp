// Serpent over any word of 32-bit lanes: R. Anderson, E. Biham, L. Knudsen, "Serpent: A Proposal for the Advanced Encryption
// Standard", 1998, in its bitslice form: word i of a block holds bit i of all 32 S-boxes, so that IP and FP do not exist. Bytes
// are in the order of NESSIE and libgcrypt, the least significant of the paper's numbers first.
#pragma once

#include "ciphers/serpent_sbox_circuits.hpp"
#include "ciphers/serpent_sbox_two_input_circuits.hpp"
#include "lanes/block_words.hpp"

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

/// The rounds over num_groups groups of blocks: groups do not wait for one another, so each hides the latency of the others.
template <class Word, std::size_t num_groups>
struct SerpentRounds {
  static PHALANX_INLINE Word xor3(Word a, Word b, Word c) { return lut3<0x96>(a, b, c); }

  /// The linear transformation (section 3).
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

  template <unsigned box, bool last, class Keys>
  static PHALANX_INLINE void encrypt_round(const Keys& keys, std::size_t round, Word x[num_groups][4]) {
#pragma GCC unroll 8
    for (std::size_t group = 0; group < num_groups; ++group) {
      keys.add(round, group, x[group]);
      serpent_box<box, Direction::encrypt>(x[group]);
      if constexpr (!last) mix(x[group]);
    }
  }
  template <unsigned box, bool last, class Keys>
  static PHALANX_INLINE void decrypt_round(const Keys& keys, std::size_t round, Word x[num_groups][4]) {
#pragma GCC unroll 8
    for (std::size_t group = 0; group < num_groups; ++group) {
      if constexpr (!last) unmix(x[group]);
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

/// Section 4: K_j is four prekeys through the S-box (3 - j) mod 8.
struct SerpentKeySchedule {
  template <unsigned box>
  static PHALANX_INLINE void substitute(std::uint32_t key[4]) {
    Word32 x[4] = {{key[0]}, {key[1]}, {key[2]}, {key[3]}};
    serpent_box<box, Direction::encrypt>(x);
    for (int i = 0; i < 4; ++i) key[i] = x[i].bits;
  }

  static void expand(const std::uint8_t* key, std::size_t key_bytes, SerpentSchedule& schedule) {
    // The prekeys w(-8) to w(-1), which are the key, stand where w(124) to w(131) will be: indices count modulo 132.
    std::uint32_t* w = schedule.key[0];
    std::memset(w + 124, 0, 32);
    std::memcpy(w + 124, key, key_bytes);
    if (key_bytes < 32) w[124 + key_bytes / 4] = 1;  // a short key is followed by a one and zeros
    constexpr std::uint32_t phi = 0x9e3779b9;
    for (std::uint32_t i = 0; i < 132; ++i) {
      const std::uint32_t sum = w[(i + 124) % 132] ^ w[(i + 127) % 132] ^ w[(i + 129) % 132] ^ w[(i + 131) % 132];
      w[i] = rotate_left32<11>(Word32{sum ^ phi ^ i}).bits;
    }
    for (std::size_t j = 0; j < 32; j += 8) {
      substitute<3>(schedule.key[j]);
      substitute<2>(schedule.key[j + 1]);
      substitute<1>(schedule.key[j + 2]);
      substitute<0>(schedule.key[j + 3]);
      substitute<7>(schedule.key[j + 4]);
      substitute<6>(schedule.key[j + 5]);
      substitute<5>(schedule.key[j + 6]);
      substitute<4>(schedule.key[j + 7]);
    }
    substitute<3>(schedule.key[32]);
  }
};

/// The core (ciphers/block_core.hpp) over num_groups words of blocks.
template <class Word, class VectorOfBlocks, std::size_t num_groups, std::size_t num_serial_blocks>
struct SerpentCore {
  static constexpr std::size_t block_bytes = 16;
  static constexpr std::size_t lanes = num_groups * blocks_in_word<Word>;
  static constexpr std::size_t serial_blocks = num_serial_blocks;
  using Vector = VectorOfBlocks;
  using Schedule = SerpentSchedule;
  using LaneSchedules = SerpentLaneKeys<num_groups, blocks_in_word<Word>>;
  using Rounds = SerpentRounds<Word, num_groups>;

  static void expand_key(const std::uint8_t* key, std::size_t key_bytes, Schedule& schedule) {
    SerpentKeySchedule::expand(key, key_bytes, schedule);
  }

  template <Direction direction, class Keys, class Load, class Store>
  static PHALANX_INLINE void crypt_groups(const Keys& keys, Load load, Store store) {
    Word x[num_groups][4];
    for (std::size_t group = 0; group < num_groups; ++group) load_block_words(load, group, x[group]);
    Rounds::template crypt<direction>(keys, x);
    for (std::size_t group = 0; group < num_groups; ++group) store_block_words(store, group, x[group]);
  }
  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt(const Schedule& schedule, Load load, Store store) {
    crypt_groups<direction>(SerpentSharedKey{schedule}, load, store);
  }
  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt_lanes(const LaneSchedules& keys, Load load, Store store) {
    crypt_groups<direction>(keys, load, store);
  }

  template <Direction direction>
  static PHALANX_INLINE void crypt_block(const Schedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    Word32 x[1][4];
    split_block(Block128::load(in), x[0]);
    SerpentRounds<Word32, 1>::template crypt<direction>(SerpentSharedKey{schedule}, x);
    join_block(x[0]).store(out);
  }

  static void set_lane(LaneSchedules& keys, std::size_t lane, const Schedule& schedule) {
    const std::size_t group = lane / blocks_in_word<Word>;
    const std::size_t place = lane_of_block<Word>(lane % blocks_in_word<Word>);
    for (std::size_t round = 0; round < 33; ++round) {
      for (std::size_t i = 0; i < 4; ++i) keys.key[round][group][i][place] = schedule.key[round][i];
    }
  }
};

}  // namespace
}  // namespace phalanx
