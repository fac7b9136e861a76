// AES (FIPS 197) bitsliced, for machines without AES instructions: four blocks in eight 64-bit planes, one for each bit of a
// byte.
//
// Bit 16 r + 4 c + block of a plane belongs to byte s[r, c] of the state, so that MIXCOLUMNS() needs only rotations of whole
// planes, by 16 bits a row, and SHIFTROWS() moves bits within 16-bit rows.
#pragma once

#include "engine/ciphers/aes/aes_key_expansion.hpp"
#include "engine/ciphers/aes/circuits/aes_sbox_two_input_circuit.hpp"
#include "engine/ciphers/block_core.hpp"
#include "engine/ciphers/direction.hpp"
#include "engine/lanes/word_scalar.hpp"

namespace phalanx {
namespace {

/// Exchanges the bits of a at mask << shift with the bits of b at mask.
template <int shift, std::uint64_t mask>
PHALANX_INLINE void aes_swap_bits(std::uint64_t& a, std::uint64_t& b) {
  const std::uint64_t difference = ((a >> shift) ^ b) & mask;
  b ^= difference;
  a ^= difference << shift;
}

/// Transposes every 8x8 bit matrix whose row k is a byte of w[k]: bit b of byte j of w[k] and bit k of byte j of w[b] change
/// places. It is its own inverse.
PHALANX_INLINE void aes_transpose(std::uint64_t w[8]) {
  for (int k = 0; k < 4; ++k) {
    aes_swap_bits<1, 0x5555555555555555>(w[2 * k], w[2 * k + 1]);
  }
  for (int k = 0; k < 4; ++k) {
    const int row = k + (k & 2);  // 0, 1, 4, 5
    aes_swap_bits<2, 0x3333333333333333>(w[row], w[row + 2]);
  }
  for (int k = 0; k < 4; ++k) {
    aes_swap_bits<4, 0x0f0f0f0f0f0f0f0f>(w[k], w[k + 4]);
  }
}

/// Spreads the four low bytes of x to the even bytes.
PHALANX_INLINE std::uint64_t aes_spread_bytes(std::uint64_t x) {
  x &= 0xffffffff;
  x = (x | x << 16) & 0x0000ffff0000ffff;
  return (x | x << 8) & 0x00ff00ff00ff00ff;
}
/// Gathers the even bytes of x into the four low ones.
PHALANX_INLINE std::uint64_t aes_gather_bytes(std::uint64_t x) {
  x &= 0x00ff00ff00ff00ff;
  x = (x | x >> 8) & 0x0000ffff0000ffff;
  return (x | x >> 16) & 0xffffffff;
}

/// Byte 2 r + c / 2 of word 4 (c mod 2) + block is s[r, c] before the transposition.
PHALANX_INLINE void aes_to_planes(const Block128 blocks[4], std::uint64_t planes[8]) {
  for (int j = 0; j < 4; ++j) {
    const std::uint64_t* half = blocks[j].half;
    planes[j] = aes_spread_bytes(half[0]) | aes_spread_bytes(half[1]) << 8;
    planes[4 + j] = aes_spread_bytes(half[0] >> 32) | aes_spread_bytes(half[1] >> 32) << 8;
  }
  aes_transpose(planes);
}

PHALANX_INLINE void aes_from_planes(std::uint64_t planes[8], Block128 blocks[4]) {
  aes_transpose(planes);
  for (int j = 0; j < 4; ++j) {
    blocks[j].half[0] = aes_gather_bytes(planes[j]) | aes_gather_bytes(planes[4 + j]) << 32;
    blocks[j].half[1] = aes_gather_bytes(planes[j] >> 8) | aes_gather_bytes(planes[4 + j] >> 8) << 32;
  }
}

/// SUBBYTES() or INVSUBBYTES().
template <Direction direction>
PHALANX_INLINE void aes_substitute(std::uint64_t planes[8]) {
  Word64 x[8];
  for (int b = 0; b < 8; ++b) x[b].bits = planes[b];
  if constexpr (direction == Direction::encrypt) {
    aes_s_box(x);
  } else {
    aes_inverse_s_box(x);
  }
  for (int b = 0; b < 8; ++b) planes[b] = x[b].bits;
}

/// SHIFTROWS(): row r moves r columns (4 r bits) to the right within its 16 bits. INVSHIFTROWS(): to the left, which is to
/// the right by 4 (4 - r), so only the odd rows differ.
template <Direction direction>
PHALANX_INLINE std::uint64_t aes_shift_rows(std::uint64_t x) {
  x = (x & 0x00000000ffffffff) | (x >> 8 & 0x00ff00ff00000000) | (x << 8 & 0xff00ff0000000000);  // rows 2, 3 by two columns
  if constexpr (direction == Direction::encrypt) {
    return (x & 0x0000ffff0000ffff) | (x >> 4 & 0x0fff00000fff0000) | (x << 12 & 0xf0000000f0000000);
  } else {
    return (x & 0x0000ffff0000ffff) | (x << 4 & 0xfff00000fff00000) | (x >> 12 & 0x000f0000000f0000);
  }
}

/// Every row becomes the row `rows` below it: s[r, c] := s[r + rows, c].
template <int rows>
PHALANX_INLINE std::uint64_t aes_rotate_rows(std::uint64_t x) {
  return x >> 16 * rows | x << (64 - 16 * rows);
}

/// MIXCOLUMNS(): {02} (a_r + a_(r+1)) + a_(r+1) + a_(r+2) + a_(r+3) in row r (section 5.1.3).
PHALANX_INLINE void aes_mix_columns(std::uint64_t a[8]) {
  std::uint64_t sum[8];  // a_r + a_(r+1)
  for (int b = 0; b < 8; ++b) sum[b] = a[b] ^ aes_rotate_rows<1>(a[b]);
  const std::uint64_t carry = sum[7];  // {02} x^7 = x^8 = x^4 + x^3 + x + 1
  for (int b = 0; b < 8; ++b) {
    std::uint64_t doubled = b == 0 ? carry : sum[b - 1];
    if (b == 1 || b == 3 || b == 4) doubled ^= carry;
    a[b] = doubled ^ aes_rotate_rows<1>(a[b]) ^ aes_rotate_rows<2>(sum[b]);
  }
}

/// INVMIXCOLUMNS(): its matrix is that of MIXCOLUMNS() times the circulant of {05}, {00}, {04}, {00}: first
/// a_r + {04} (a_r + a_(r+2)), then MIXCOLUMNS().
PHALANX_INLINE void aes_inverse_mix_columns(std::uint64_t a[8]) {
  std::uint64_t sum[8];  // a_r + a_(r+2)
  for (int b = 0; b < 8; ++b) sum[b] = a[b] ^ aes_rotate_rows<2>(a[b]);
  const std::uint64_t x8 = sum[6];  // {04} x^6 = x^8 = x^4 + x^3 + x + 1
  const std::uint64_t x9 = sum[7];  // {04} x^7 = x^9 = x^5 + x^4 + x^2 + x
  a[0] ^= x8;
  a[1] ^= x8 ^ x9;
  a[2] ^= sum[0] ^ x9;
  a[3] ^= sum[1] ^ x8;
  a[4] ^= sum[2] ^ x8 ^ x9;
  a[5] ^= sum[3] ^ x9;
  a[6] ^= sum[4];
  a[7] ^= sum[5];
  aes_mix_columns(a);
}

template <int num_rounds>
struct AesSlicedCore {
  using Vector = Block128;
  static constexpr std::size_t block_bytes = 16;
  static constexpr std::size_t lanes = 4;
  static constexpr std::size_t serial_blocks = 0;
  static constexpr std::size_t key_stack_bytes = 2048;
  static constexpr std::size_t lane_key_stack_bytes = 2048;
  static constexpr std::size_t round_stack_bytes = 0;
  static constexpr std::size_t lane_round_stack_bytes = 0;
  static constexpr std::size_t clean_blocks = 0;
  static constexpr std::size_t serial_messages = 1;
  static constexpr std::size_t key_lanes = 0;
  static constexpr SetsLanes sets_lanes = SetsLanes::whole;
  static constexpr bool stores_last_first = false;
  static constexpr Fetches fetches = Fetches::nothing;
  static constexpr int num_steps_beside = 0;

  /// The round keys of every lane as planes; those of one key are the same in every lane.
  struct alignas(64) Schedule {
    std::uint64_t round_keys[num_rounds + 1][8];
  };
  using LaneSchedules = Schedule;

  static void expand_key(const std::uint8_t* key, std::size_t /*key_bytes*/, Schedule& schedule) {
    std::uint8_t round_keys[num_rounds + 1][16];
    aes_expand_key<num_rounds>(key, round_keys, [](std::uint32_t word) PHALANX_INLINE_LAMBDA {
      Block128 blocks[4] = {{{word, 0}}};
      std::uint64_t planes[8];
      aes_to_planes(blocks, planes);
      aes_substitute<Direction::encrypt>(planes);
      aes_from_planes(planes, blocks);
      return static_cast<std::uint32_t>(blocks[0].half[0]);
    });
    for (int round = 0; round <= num_rounds; ++round) {
      const Block128 round_key = Block128::load(round_keys[round]);
      const Block128 blocks[4] = {round_key, round_key, round_key, round_key};
      aes_to_planes(blocks, schedule.round_keys[round]);
    }
  }

  static void set_lane(LaneSchedules& keys, std::size_t lane, const Schedule& schedule) {
    const std::uint64_t mask = std::uint64_t{0x1111111111111111} << lane;
    for (int round = 0; round <= num_rounds; ++round) {
      for (int b = 0; b < 8; ++b) {
        std::uint64_t& plane = keys.round_keys[round][b];
        plane = (plane & ~mask) | (schedule.round_keys[round][b] & mask);
      }
    }
  }

  template <Direction direction>
  static void crypt_block(const Schedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    const Block128 block = Block128::load(in);
    Block128 blocks[4] = {block, block, block, block};  // a block of zeros would become GCM's hash key
    crypt_blocks<direction>(schedule, blocks);
    blocks[0].store(out);
  }

  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt(const Schedule& schedule, Load load, Store store) {
    Block128 blocks[4];
    for (std::size_t i = 0; i < lanes; ++i) blocks[i] = load(i);
    crypt_blocks<direction>(schedule, blocks);
    for (std::size_t i = 0; i < lanes; ++i) store(i, blocks[i]);
  }

  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt_lanes(const LaneSchedules& keys, Load load, Store store) {
    crypt<direction>(keys, load, store);
  }

 private:
  static PHALANX_INLINE void add_round_key(std::uint64_t planes[8], const std::uint64_t round_key[8]) {
    for (int b = 0; b < 8; ++b) planes[b] ^= round_key[b];
  }

  /// CIPHER(), section 5.1, or INVCIPHER(), section 5.3.
  template <Direction direction>
  static __attribute__((noinline)) void crypt_blocks(const Schedule& schedule, Block128 blocks[4]) {
    constexpr bool encrypt = direction == Direction::encrypt;
    std::uint64_t planes[8];
    aes_to_planes(blocks, planes);
    add_round_key(planes, schedule.round_keys[encrypt ? 0 : num_rounds]);
    for (int round = 1; round <= num_rounds; ++round) {
      for (int b = 0; b < 8; ++b) planes[b] = aes_shift_rows<direction>(planes[b]);
      aes_substitute<direction>(planes);
      if (encrypt && round < num_rounds) aes_mix_columns(planes);
      add_round_key(planes, schedule.round_keys[encrypt ? round : num_rounds - round]);
      if (!encrypt && round < num_rounds) aes_inverse_mix_columns(planes);
    }
    aes_from_planes(planes, blocks);
  }
};

}  // namespace
}  // namespace phalanx
