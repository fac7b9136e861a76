// 256 blocks of 64 bits to and from 64 planes of one bit, in AVX2 registers.
//
// Vector 8 g + s of a group holds four blocks; byte y of a block, bit t of a byte (0 the lowest). First bytes change places
// with s, then bits with g.
#pragma once

#include "engine/lanes/word_avx2.hpp"

namespace phalanx {
namespace {

/// In every 64-bit element: byte y of a[s] becomes byte s of a[y]. (The order of the elements changes the same way in both.)
PHALANX_INLINE void transpose_bytes(Word256* a) {
  __m256i b[8];
  __m256i c[8];
  for (int i = 0; i < 4; ++i) {
    b[i] = _mm256_unpacklo_epi8(a[2 * i].bits, a[2 * i + 1].bits);
    b[4 + i] = _mm256_unpackhi_epi8(a[2 * i].bits, a[2 * i + 1].bits);
  }
  for (int half = 0; half < 8; half += 4) {
    for (int i = 0; i < 2; ++i) {
      c[half + i] = _mm256_unpacklo_epi16(b[half + 2 * i], b[half + 2 * i + 1]);
      c[half + 2 + i] = _mm256_unpackhi_epi16(b[half + 2 * i], b[half + 2 * i + 1]);
    }
  }
  for (int i = 0; i < 4; ++i) {
    b[2 * i] = _mm256_unpacklo_epi32(c[2 * i], c[2 * i + 1]);
    b[2 * i + 1] = _mm256_unpackhi_epi32(c[2 * i], c[2 * i + 1]);
  }
  for (int i = 0; i < 4; ++i) {
    a[2 * i].bits = _mm256_unpacklo_epi64(b[i], b[4 + i]);
    a[2 * i + 1].bits = _mm256_unpackhi_epi64(b[i], b[4 + i]);
  }
}

/// Exchanges the bits of a under mask << shift with those of b under mask.
template <int shift>
PHALANX_INLINE void exchange_bits(Word256& a, Word256& b, Word256 mask) {
  const Word256 difference = (Word256{_mm256_srli_epi64(a.bits, shift)} ^ b) & mask;
  b = b ^ difference;
  a = a ^ Word256 { _mm256_slli_epi64(difference.bits, shift) };
}

/// In every byte: bit t of a[g] becomes bit g of a[t].
PHALANX_INLINE void transpose_bits(Word256* a) {
  for (int i = 0; i < 4; ++i) exchange_bits<4>(a[i], a[i + 4], Word256::broadcast8(0x0f));
  for (int i = 0; i < 8; i += 4) {
    exchange_bits<2>(a[i], a[i + 2], Word256::broadcast8(0x33));
    exchange_bits<2>(a[i + 1], a[i + 3], Word256::broadcast8(0x33));
  }
  for (int i = 0; i < 8; i += 2) exchange_bits<1>(a[i], a[i + 1], Word256::broadcast8(0x55));
}

/// Plane n holds bit n of every block, bit 0 the top bit of its first byte.
struct Transpose256 {
  /// Returns the bit of a plane that belongs to block `lane`: lane = 32 g + 4 s + element.
  static constexpr std::size_t position(std::size_t lane) { return 64 * (lane % 4) + 8 * (lane / 4 % 8) + lane / 32; }

  /// Calls load(i) for every vector, put(n, plane) for every plane.
  template <class Load, class Put>
  static PHALANX_INLINE void to_planes(Load load, Put put) {
    alignas(64) Word256 bytes[8][8];  // [y][g]
    for (std::size_t g = 0; g < 8; ++g) {
      Word256 a[8];
      for (std::size_t s = 0; s < 8; ++s) a[s] = load(8 * g + s);
      transpose_bytes(a);
      for (std::size_t y = 0; y < 8; ++y) bytes[y][g] = a[y];
    }
    for (std::size_t y = 0; y < 8; ++y) {
      transpose_bits(bytes[y]);
      for (std::size_t t = 0; t < 8; ++t) put(8 * y + 7 - t, bytes[y][t]);
    }
  }
  /// Calls get(n) for every plane, store(i, vector) for every vector, the last one first.
  template <class Get, class Store>
  static PHALANX_INLINE void from_planes(Get get, Store store) {
    alignas(64) Word256 bytes[8][8];  // [g][y]
    for (std::size_t y = 0; y < 8; ++y) {
      Word256 a[8];
      for (std::size_t t = 0; t < 8; ++t) a[t] = get(8 * y + 7 - t);
      transpose_bits(a);
      for (std::size_t g = 0; g < 8; ++g) bytes[g][y] = a[g];
    }
    for (std::size_t g = 8; g-- != 0;) {
      transpose_bytes(bytes[g]);
      for (std::size_t s = 8; s-- != 0;) store(8 * g + s, bytes[g][s]);
    }
  }
};

}  // namespace
}  // namespace phalanx
