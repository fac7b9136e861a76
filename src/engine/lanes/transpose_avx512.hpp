// This takes blocks of 64 bits to 64 planes of one bit, and back, in the words of AVX-512 with GFNI: 512 blocks in a
// Word512, 256 in a HalfWord512.
//
// Vector 8 g + s of a group holds a block in every 64-bit element. y is a byte of a block, and t is a bit of a byte (0
// the lowest). There are three steps:
// - Bytes y change places with s.
// - Bits t change places with s, inside one 64-bit element, by one GF2P8AFFINEQB (a matrix of bits times the exchange
//   permutation is its transpose).
// - The bits, which are bytes now, change places with g.
//
// The first and last are 8 x 8 transposes of bytes within every 64-bit element. One is done by exchanges, 24
// instructions that only the shuffle port takes. The other turns (byte p of vector i goes to p ^ i), blends across
// vectors, and turns back. The affine step turns on its way. So both ports have the same work.
#pragma once

#include "engine/lanes/word_avx512_half.hpp"

namespace phalanx {
namespace {

/// These are byte tables for VPSHUFB and GF2P8AFFINEQB, eight each.
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

/// The bytes p of every 64-bit element that have the bit of weight `bit` (1, 2 or 4) in p.
constexpr std::uint64_t bytes_with_bit(std::size_t bit) {
  return bit == 1 ? 0xaaaaaaaaaaaaaaaaU : bit == 2 ? 0xccccccccccccccccU : 0xf0f0f0f0f0f0f0f0U;
}

/// Exchanges the bit of weight `bit` in a byte's place with the same bit of the vector's number, in every 64-bit
/// element.
template <std::size_t bit, class W>
PHALANX_INLINE void exchange_places(W* a) {
  const W turn = W::load(exchange_tables.turn[bit]);
  for (std::size_t i = 0; i < 8; ++i) {
    if ((i & bit) != 0) continue;
    const W low = a[i];
    const W high = a[i + bit];
    a[i] = shuffle_bytes_where(bytes_with_bit(bit), high, turn, low);
    a[i + bit] = shuffle_bytes_where(~bytes_with_bit(bit), low, turn, high);
  }
}

template <std::size_t bit, class W>
PHALANX_INLINE void blend_pairs(const W* a, W* b) {
  for (std::size_t i = 0; i < 8; ++i) b[i] = blend_bytes(bytes_with_bit(bit), a[i], a[i ^ bit]);
}

/// Does the work of exchange_places<2> without the shuffle port.
template <class W>
PHALANX_INLINE void exchange_places_by_rotation(W* a) {
  W turned[8];
  for (std::size_t i = 0; i < 8; ++i) turned[i ^ 2] = rotate_left32<16>(a[i]);
  for (std::size_t i = 0; i < 8; ++i) {
    a[i] = (i & 2) == 0 ? blend_bytes(bytes_with_bit(2), a[i], turned[i]) : blend_bytes(bytes_with_bit(2), turned[i], a[i]);
  }
}

/// In every 64-bit element: byte p of a[i] becomes byte i of a[p].
template <class W>
PHALANX_INLINE void transpose_bytes(W* a) {
  exchange_places<4>(a);
  exchange_places_by_rotation(a);
  exchange_places<1>(a);
}

template <std::size_t count, class W>
PHALANX_INLINE W turn_bytes(W a) {
  return shuffle_bytes(a, W::load(exchange_tables.turn[count]));
}

/// transpose_bytes of vectors that are turned already: byte p of a[i] stands at p ^ i.
template <class W>
PHALANX_INLINE void transpose_turned_bytes(W* a) {
  W b[8];
  blend_pairs<4>(a, b);
  blend_pairs<2>(b, a);
  blend_pairs<1>(a, b);
  a[0] = b[0];
  a[1] = turn_bytes<1>(b[1]);
  a[2] = turn_bytes<2>(b[2]);
  a[3] = turn_bytes<3>(b[3]);
  a[4] = turn_bytes<4>(b[4]);
  a[5] = turn_bytes<5>(b[5]);
  a[6] = turn_bytes<6>(b[6]);
  a[7] = turn_bytes<7>(b[7]);
}

/// Plane n holds bit n of every block, bit 0 the top bit of its first byte.
template <class W>
struct MatrixTranspose {
  static constexpr std::size_t blocks_per_vector = sizeof(W) / 8;

  /// Returns the bit of a plane that belongs to block `lane`: lane = blocks_per_vector (8 g + s) + element.
  static constexpr std::size_t position(std::size_t lane) {
    const std::size_t vector = lane / blocks_per_vector;
    return 64 * (lane % blocks_per_vector) + 8 * (vector / 8) + 7 - vector % 8;
  }

  /// Calls load(i) for every vector, put(n, plane) for every plane.
  template <class Load, class Put>
  static PHALANX_INLINE void to_planes(Load load, Put put) {
    alignas(64) W bytes[8][8];  // [y][g]
#pragma GCC unroll 1
    for (std::size_t g = 0; g < 8; ++g) {
      W a[8];
      for (std::size_t s = 0; s < 8; ++s) a[s] = load(8 * g + s);
      transpose_bytes(a);  // a[y] byte s
      const W pick = W::load(exchange_tables.pick_bit[g]);
      for (std::size_t y = 0; y < 8; ++y) bytes[y][g] = affine(pick, a[y]);  // byte t ^ g, bit 7 - s
    }
#pragma GCC unroll 1
    for (std::size_t y = 0; y < 8; ++y) {
      W a[8];
      for (std::size_t g = 0; g < 8; ++g) a[g] = bytes[y][g];
      transpose_turned_bytes(a);  // a[t] byte g
      for (std::size_t t = 0; t < 8; ++t) put(8 * y + 7 - t, a[t]);
    }
  }

  /// Calls get(n) for every plane, store(i, vector) for every vector, the last one first.
  template <class Get, class Store>
  static PHALANX_INLINE void from_planes(Get get, Store store) {
    alignas(64) W bytes[8][8];  // [g][y]
#pragma GCC unroll 1
    for (std::size_t y = 0; y < 8; ++y) {
      W a[8];
      for (std::size_t t = 0; t < 8; ++t) a[7 - t] = get(8 * y + 7 - t);
      transpose_bytes(a);  // a[g] byte 7 - t
      const W pick = W::load(exchange_tables.pick_bit_reversed[y]);
      for (std::size_t g = 0; g < 8; ++g) bytes[g][y] = affine(pick, a[g]);  // byte s ^ y, bit t
    }
#pragma GCC unroll 1
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t g = 7 - i;
      W a[8];
      for (std::size_t y = 0; y < 8; ++y) a[y] = bytes[g][y];
      transpose_turned_bytes(a);  // a[s] byte y
      for (std::size_t s = 8; s-- != 0;) store(8 * g + s, a[s]);
    }
  }
};

}  // namespace
}  // namespace phalanx
