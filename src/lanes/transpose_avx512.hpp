// 512 blocks of 64 bits to and from 64 planes of one bit, in AVX-512 registers.
//
// Vector 8 g + s of a group holds eight blocks; byte y of a block, bit t of a byte (0 the lowest). Three steps: bytes y change
// places with s; bits t with s, inside one 64-bit element, by one GF2P8AFFINEQB (a matrix of bits times the exchange
// permutation is its transpose); then the bits, now bytes, with g. The first and last are 8 x 8 transposes of bytes within every 64-bit
// element, done in the form: turn (byte p of vector i goes to p ^ i), blend across vectors, turn back.
#pragma once

#include "lanes/word_avx512.hpp"

namespace phalanx {
namespace {

/// Byte tables for VPSHUFB and GF2P8AFFINEQB, eight each.
struct alignas(64) ExchangeTables {
  std::uint8_t turn[8][64];               ///< turn[i]: byte p of each 64-bit element comes from byte p ^ i
  std::uint8_t pick_bit[8][64];           ///< pick_bit[g]: byte p has bit p ^ g only
  std::uint8_t pick_bit_reversed[8][64];  ///< byte p has bit 7 - (p ^ g) only
};

constexpr ExchangeTables make_exchange_tables() {
  ExchangeTables tables{};
  for (unsigned i = 0; i < 8; ++i) {
    for (unsigned p = 0; p < 64; ++p) {
      const unsigned turned = (p & 7) ^ i;
      tables.turn[i][p] = static_cast<std::uint8_t>((p & 8) | turned);
      tables.pick_bit[i][p] = static_cast<std::uint8_t>(1U << turned);
      tables.pick_bit_reversed[i][p] = static_cast<std::uint8_t>(0x80U >> turned);
    }
  }
  return tables;
}

inline constexpr ExchangeTables exchange_tables = make_exchange_tables();

template <std::size_t count>
PHALANX_INLINE Word512 turn_bytes(Word512 a) {
  if constexpr (count == 0) return a;
  return shuffle_bytes(a, Word512::load(exchange_tables.turn[count]));
}

/// Byte p of every 64-bit element of a[i] becomes byte p of the former a[i ^ p].
PHALANX_INLINE void blend_across(Word512* a) {
  constexpr std::uint64_t odd = 0xaaaaaaaaaaaaaaaaU;        // bytes p with bit 0
  constexpr std::uint64_t odd_pairs = 0xccccccccccccccccU;  // bit 1
  constexpr std::uint64_t odd_quads = 0xf0f0f0f0f0f0f0f0U;  // bit 2
  Word512 b[8];
  for (std::size_t i = 0; i < 8; ++i) b[i] = blend_bytes(odd_quads, a[i], a[i ^ 4]);
  for (std::size_t i = 0; i < 8; ++i) a[i] = blend_bytes(odd_pairs, b[i], b[i ^ 2]);
  for (std::size_t i = 0; i < 8; ++i) b[i] = blend_bytes(odd, a[i], a[i ^ 1]);
  for (std::size_t i = 0; i < 8; ++i) a[i] = b[i];
}

PHALANX_INLINE void turn_all(Word512* a) {
  a[1] = turn_bytes<1>(a[1]);
  a[2] = turn_bytes<2>(a[2]);
  a[3] = turn_bytes<3>(a[3]);
  a[4] = turn_bytes<4>(a[4]);
  a[5] = turn_bytes<5>(a[5]);
  a[6] = turn_bytes<6>(a[6]);
  a[7] = turn_bytes<7>(a[7]);
}

/// Plane n holds bit n of every block, bit 0 the top bit of its first byte.
struct Transpose512 {
  /// Which bit of a plane belongs to block `lane`: lane = 64 g + 8 s + element.
  static constexpr std::size_t position(std::size_t lane) { return 64 * (lane % 8) + 8 * (lane / 64) + 7 - lane / 8 % 8; }

  template <class Load>
  static PHALANX_INLINE void to_planes(Load load, Word512* planes) {
    alignas(64) Word512 bytes[8][8];  // [y][g]
#pragma GCC unroll 1
    for (std::size_t g = 0; g < 8; ++g) {
      Word512 a[8];
      for (std::size_t s = 0; s < 8; ++s) a[s] = load(8 * g + s);
      turn_all(a);
      blend_across(a);
      turn_all(a);  // a[y] byte s
      const Word512 pick = Word512::load(exchange_tables.pick_bit[g]);
      for (std::size_t y = 0; y < 8; ++y) bytes[y][g] = affine(pick, a[y]);  // byte t ^ g, bit 7 - s
    }
#pragma GCC unroll 1
    for (std::size_t y = 0; y < 8; ++y) {
      Word512* a = bytes[y];
      blend_across(a);
      turn_all(a);  // a[t] byte g
      for (std::size_t t = 0; t < 8; ++t) a[t].store(planes + 8 * y + 7 - t);
    }
  }

  /// Reads planes[n ^ flip] as plane n.
  template <class Store>
  static PHALANX_INLINE void from_planes(const Word512* planes, std::size_t flip, Store store) {
    alignas(64) Word512 bytes[8][8];  // [g][y]
#pragma GCC unroll 1
    for (std::size_t y = 0; y < 8; ++y) {
      Word512 a[8];
      for (std::size_t t = 0; t < 8; ++t) a[t] = planes[(8 * y + 7 - t) ^ flip];
      turn_all(a);
      blend_across(a);
      Word512 reversed[8];  // a[g] turned by g ^ 7: byte 7 - t
      for (std::size_t g = 0; g < 8; ++g) reversed[g] = shuffle_bytes(a[g], Word512::load(exchange_tables.turn[g ^ 7]));
      const Word512 pick = Word512::load(exchange_tables.pick_bit_reversed[y]);
      for (std::size_t g = 0; g < 8; ++g) bytes[g][y] = affine(pick, reversed[g]);  // byte s ^ y, bit t
    }
#pragma GCC unroll 1
    for (std::size_t g = 0; g < 8; ++g) {
      Word512* a = bytes[g];
      blend_across(a);
      turn_all(a);  // a[s] byte y
      for (std::size_t s = 0; s < 8; ++s) store(8 * g + s, a[s]);
    }
  }
};

}  // namespace
}  // namespace phalanx
