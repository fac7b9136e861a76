// 128 blocks of 64 bits to and from 64 planes of one bit, in NEON registers.
//
// Vector 8 g + s of a group holds two blocks; byte y of a block, bit t of a byte (0 the lowest). First bytes change places
// with s, then bits with g.
#pragma once

#include "engine/lanes/word_neon.hpp"

namespace phalanx {
namespace {

/// a's elements of odd number and b's of even number change places (TRN).
PHALANX_INLINE void exchange8(NeonWord& a, NeonWord& b) {
  const NeonWord even = NeonWord::of(vtrn1q_u8(a.bytes(), b.bytes()));
  b = NeonWord::of(vtrn2q_u8(a.bytes(), b.bytes()));
  a = even;
}
PHALANX_INLINE void exchange16(NeonWord& a, NeonWord& b) {
  const uint16x8_t x = vreinterpretq_u16_u64(a.bits);
  const uint16x8_t y = vreinterpretq_u16_u64(b.bits);
  a.bits = vreinterpretq_u64_u16(vtrn1q_u16(x, y));
  b.bits = vreinterpretq_u64_u16(vtrn2q_u16(x, y));
}
PHALANX_INLINE void exchange32(NeonWord& a, NeonWord& b) {
  const NeonWord even = NeonWord::of(vtrn1q_u32(a.dwords(), b.dwords()));
  b = NeonWord::of(vtrn2q_u32(a.dwords(), b.dwords()));
  a = even;
}

/// In every 64-bit element: byte y of a[s] becomes byte s of a[y].
PHALANX_INLINE void transpose_bytes(NeonWord* a) {
  for (int i = 0; i < 4; ++i) exchange32(a[i], a[i + 4]);
  for (int i = 0; i < 8; i += 4) {
    exchange16(a[i], a[i + 2]);
    exchange16(a[i + 1], a[i + 3]);
  }
  for (int i = 0; i < 8; i += 2) exchange8(a[i], a[i + 1]);
}

/// Exchanges the bits of a under mask << shift with those of b under mask, in every byte.
template <int shift>
PHALANX_INLINE void exchange_bits(NeonWord& a, NeonWord& b, std::uint8_t mask) {
  const uint8x16_t x = a.bytes();
  const uint8x16_t y = b.bytes();
  if constexpr (shift == 4) {  // whole halves: SRI and SLI keep the other one
    b = NeonWord::of(vsriq_n_u8(y, x, 4));
    a = NeonWord::of(vsliq_n_u8(x, y, 4));
  } else {
    const auto upper = static_cast<std::uint8_t>(mask << shift);
    b = NeonWord::of(vbslq_u8(vdupq_n_u8(mask), vshrq_n_u8(x, shift), y));
    a = NeonWord::of(vbslq_u8(vdupq_n_u8(upper), vshlq_n_u8(y, shift), x));
  }
}

/// In every byte: bit t of a[g] becomes bit g of a[t].
PHALANX_INLINE void transpose_bits(NeonWord* a) {
  for (int i = 0; i < 4; ++i) exchange_bits<4>(a[i], a[i + 4], 0x0f);
  for (int i = 0; i < 8; i += 4) {
    exchange_bits<2>(a[i], a[i + 2], 0x33);
    exchange_bits<2>(a[i + 1], a[i + 3], 0x33);
  }
  for (int i = 0; i < 8; i += 2) exchange_bits<1>(a[i], a[i + 1], 0x55);
}

/// Plane n holds bit n of every block, bit 0 the top bit of its first byte.
struct NeonTranspose {
  /// Returns the bit of a plane that belongs to block `lane`: lane = 16 g + 2 s + element.
  static constexpr std::size_t position(std::size_t lane) { return 64 * (lane % 2) + 8 * (lane / 2 % 8) + lane / 16; }

  /// Calls load(i) for every vector, put(n, plane) for every plane.
  template <class Load, class Put>
  static PHALANX_INLINE void to_planes(Load load, Put put) {
    alignas(64) NeonWord bytes[8][8];  // [y][g]
    for (std::size_t g = 0; g < 8; ++g) {
      NeonWord a[8];
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
    alignas(64) NeonWord bytes[8][8];  // [g][y]
    for (std::size_t y = 0; y < 8; ++y) {
      NeonWord a[8];
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
