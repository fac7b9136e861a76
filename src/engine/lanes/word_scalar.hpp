// These are the lane words and vectors of any 64-bit machine.
#pragma once

#include "engine/lanes/lane_word.hpp"
#include "engine/lanes/lut3_two_input.hpp"

namespace phalanx {
namespace {

/// 64 lanes of one bit; as a vector, one 64-bit block.
struct Word64 {
  static constexpr bool has_lut3 = false;
  std::uint64_t bits;

  static PHALANX_INLINE Word64 load(const void* p) { return {load_u64(p)}; }
  PHALANX_INLINE void store(void* p) const { store_u64(p, bits); }
  /// All 8 bytes or none: zero, or not written.
  static PHALANX_INLINE Word64 load_first(const void* p, std::size_t num_bytes) {
    return {num_bytes != 0 ? load_u64(p) : 0};
  }
  PHALANX_INLINE void store_first(void* p, std::size_t num_bytes) const {
    if (num_bytes != 0) store(p);
  }
  static PHALANX_INLINE Word64 broadcast64(std::uint64_t x) { return {x}; }

  friend PHALANX_INLINE Word64 operator&(Word64 a, Word64 b) { return {a.bits & b.bits}; }
  friend PHALANX_INLINE Word64 operator|(Word64 a, Word64 b) { return {a.bits | b.bits}; }
  friend PHALANX_INLINE Word64 operator^(Word64 a, Word64 b) { return {a.bits ^ b.bits}; }
  friend PHALANX_INLINE Word64 operator~(Word64 a) { return {~a.bits}; }
  friend PHALANX_INLINE Word64 and_not(Word64 a, Word64 b) { return {a.bits & ~b.bits}; }
};

template <std::uint8_t table>
PHALANX_INLINE Word64 lut3(Word64 a, Word64 b, Word64 c) {
  return lut3_two_input<table>(a, b, c);
}

/// This word holds one lane of 32 bits.
struct Word32 {
  static constexpr bool has_lut3 = false;
  std::uint32_t bits;

  static PHALANX_INLINE Word32 load(const void* p) { return {load_u32(p)}; }
  PHALANX_INLINE void store(void* p) const { store_u32(p, bits); }
  static PHALANX_INLINE Word32 broadcast32(std::uint32_t x) { return {x}; }

  friend PHALANX_INLINE Word32 operator&(Word32 a, Word32 b) { return {a.bits & b.bits}; }
  friend PHALANX_INLINE Word32 operator|(Word32 a, Word32 b) { return {a.bits | b.bits}; }
  friend PHALANX_INLINE Word32 operator^(Word32 a, Word32 b) { return {a.bits ^ b.bits}; }
  friend PHALANX_INLINE Word32 operator~(Word32 a) { return {~a.bits}; }
  friend PHALANX_INLINE Word32 and_not(Word32 a, Word32 b) { return {a.bits & ~b.bits}; }
};

template <std::uint8_t table>
PHALANX_INLINE Word32 lut3(Word32 a, Word32 b, Word32 c) {
  return lut3_two_input<table>(a, b, c);
}
template <int count>
PHALANX_INLINE Word32 rotate_left32(Word32 a) {
  return {a.bits << count | a.bits >> (32 - count)};
}
template <int count>
PHALANX_INLINE Word32 shift_left32(Word32 a) {
  return {a.bits << count};
}

#if !defined(__CUDACC__)  // device code has no vectors of the compiler
/// This word holds 128 lanes of one bit, 4 of 32 bits, or a block of 16 bytes, in the compiler's own vectors. Every
/// x86-64 has instructions for them (SSE2), and every AArch64. On a machine without any they are plain words.
struct PlainWord128 {
  static constexpr bool has_lut3 = false;
  using Qwords = std::uint64_t __attribute__((vector_size(16)));
  using Dwords = std::uint32_t __attribute__((vector_size(16)));
  Qwords bits;

  static PHALANX_INLINE PlainWord128 load(const void* p) {
    PlainWord128 w;
    std::memcpy(&w, p, sizeof w);
    if constexpr (machine_is_big_endian) w = from_halves(reverse_bytes(w.bits[0]), reverse_bytes(w.bits[1]));
    return w;
  }
  PHALANX_INLINE void store(void* p) const {
    if constexpr (machine_is_big_endian) {
      const PlainWord128 reversed = from_halves(reverse_bytes(bits[0]), reverse_bytes(bits[1]));
      std::memcpy(p, &reversed, sizeof reversed);
    } else {
      std::memcpy(p, &bits, sizeof bits);
    }
  }
  /// The first 16, 8 or no bytes; the others are zero, or not written.
  static PHALANX_INLINE PlainWord128 load_first(const void* p, std::size_t num_bytes) {
    return num_bytes == 16 ? load(p) : from_halves(num_bytes != 0 ? load_u64(p) : 0, 0);
  }
  PHALANX_INLINE void store_first(void* p, std::size_t num_bytes) const {
    if (num_bytes == 16) {
      store(p);
    } else if (num_bytes != 0) {
      store_u64(p, bits[0]);
    }
  }
  static PHALANX_INLINE PlainWord128 from_halves(std::uint64_t low, std::uint64_t high) { return {Qwords{low, high}}; }
  static PHALANX_INLINE PlainWord128 broadcast64(std::uint64_t x) { return from_halves(x, x); }
  static PHALANX_INLINE PlainWord128 broadcast32(std::uint32_t x) { return of(Dwords{x, x, x, x}); }

  /// Makes the number high:low.
  static PHALANX_INLINE PlainWord128 numbers128(std::uint64_t high, std::uint64_t low) { return from_halves(low, high); }
  friend PHALANX_INLINE PlainWord128 add_low64(PlainWord128 v, std::uint64_t n) { return {v.bits + Qwords{n, 0}}; }
  friend PHALANX_INLINE PlainWord128 reverse_bytes128(PlainWord128 v) {
    return from_halves(reverse_bytes(v.bits[1]), reverse_bytes(v.bits[0]));
  }
  static constexpr std::size_t tweak_step = 1;
  static PHALANX_INLINE PlainWord128 first_tweaks(const void* tweak, std::size_t /*number*/) { return load(tweak); }
  friend PHALANX_INLINE PlainWord128 next_tweaks(PlainWord128 t) {
    const std::uint64_t low = t.bits[0];
    const std::uint64_t high = t.bits[1];
    return from_halves((low << 1) ^ (0x87 & (0 - (high >> 63))), (high << 1) | (low >> 63));
  }

  /// The lower half of each 64-bit element is the first lane of it, as in memory of the lowest byte first.
  static PHALANX_INLINE PlainWord128 of(Dwords lanes) {
    if constexpr (machine_is_big_endian) lanes = __builtin_shufflevector(lanes, lanes, 1, 0, 3, 2);
    return {(Qwords)lanes};
  }
  PHALANX_INLINE Dwords dwords() const {
    if constexpr (machine_is_big_endian) return __builtin_shufflevector((Dwords)bits, (Dwords)bits, 1, 0, 3, 2);
    return (Dwords)bits;
  }

  friend PHALANX_INLINE PlainWord128 operator&(PlainWord128 a, PlainWord128 b) { return {a.bits & b.bits}; }
  friend PHALANX_INLINE PlainWord128 operator|(PlainWord128 a, PlainWord128 b) { return {a.bits | b.bits}; }
  friend PHALANX_INLINE PlainWord128 operator^(PlainWord128 a, PlainWord128 b) { return {a.bits ^ b.bits}; }
  friend PHALANX_INLINE PlainWord128 operator~(PlainWord128 a) { return {~a.bits}; }
  friend PHALANX_INLINE PlainWord128 and_not(PlainWord128 a, PlainWord128 b) { return {a.bits & ~b.bits}; }

  /// These interleave as the vectors' unpacks do (word_avx2.hpp).
  friend PHALANX_INLINE PlainWord128 unpack_low64(PlainWord128 a, PlainWord128 b) {
    return {__builtin_shufflevector(a.bits, b.bits, 0, 2)};
  }
  friend PHALANX_INLINE PlainWord128 unpack_high64(PlainWord128 a, PlainWord128 b) {
    return {__builtin_shufflevector(a.bits, b.bits, 1, 3)};
  }
  friend PHALANX_INLINE PlainWord128 unpack_low32(PlainWord128 a, PlainWord128 b) {
    return of(__builtin_shufflevector(a.dwords(), b.dwords(), 0, 4, 1, 5));
  }
  friend PHALANX_INLINE PlainWord128 unpack_high32(PlainWord128 a, PlainWord128 b) {
    return of(__builtin_shufflevector(a.dwords(), b.dwords(), 2, 6, 3, 7));
  }
};

template <std::uint8_t table>
PHALANX_INLINE PlainWord128 lut3(PlainWord128 a, PlainWord128 b, PlainWord128 c) {
  return lut3_two_input<table>(a, b, c);
}
template <int count>
PHALANX_INLINE PlainWord128 rotate_left32(PlainWord128 a) {
  return PlainWord128::of(a.dwords() << count | a.dwords() >> (32 - count));
}
template <int count>
PHALANX_INLINE PlainWord128 shift_left32(PlainWord128 a) {
  return PlainWord128::of(a.dwords() << count);
}
#endif

/// One 128-bit block as two 64-bit halves, low address first.
struct Block128 {
  std::uint64_t half[2];

  static PHALANX_INLINE Block128 load(const void* p) {
    return {{load_u64(p), load_u64(static_cast<const std::uint8_t*>(p) + 8)}};
  }
  PHALANX_INLINE void store(void* p) const {
    store_u64(p, half[0]);
    store_u64(static_cast<std::uint8_t*>(p) + 8, half[1]);
  }
  /// All 16 bytes or none: zeros, or not written.
  static PHALANX_INLINE Block128 load_first(const void* p, std::size_t num_bytes) {
    return num_bytes != 0 ? load(p) : Block128{};
  }
  PHALANX_INLINE void store_first(void* p, std::size_t num_bytes) const {
    if (num_bytes != 0) store(p);
  }
  /// Makes the number high:low.
  static PHALANX_INLINE Block128 numbers128(std::uint64_t high, std::uint64_t low) { return {{low, high}}; }
  friend PHALANX_INLINE Block128 add_low64(Block128 v, std::uint64_t n) { return {{v.half[0] + n, v.half[1]}}; }
  static constexpr std::size_t tweak_step = 1;
  static PHALANX_INLINE Block128 first_tweaks(const void* tweak, std::size_t /*number*/) { return load(tweak); }
  friend PHALANX_INLINE Block128 next_tweaks(Block128 t) {
    const std::uint64_t carry = t.half[1] >> 63;
    return {{(t.half[0] << 1) ^ (0x87 & (0 - carry)), (t.half[1] << 1) | (t.half[0] >> 63)}};
  }
  friend PHALANX_INLINE Block128 operator^(Block128 a, Block128 b) {
    return {{a.half[0] ^ b.half[0], a.half[1] ^ b.half[1]}};
  }
  /// Makes the number high:low, little-endian.
  static PHALANX_INLINE Block128 from_halves(std::uint64_t high, std::uint64_t low) { return {{low, high}}; }
  friend PHALANX_INLINE Block128 swap_halves(Block128 a) { return {{a.half[1], a.half[0]}}; }
  friend PHALANX_INLINE Block128 reverse_bytes128(Block128 a) {
    return {{reverse_bytes(a.half[1]), reverse_bytes(a.half[0])}};
  }
  /// The carry-less product of the low half and these bits.
  friend PHALANX_INLINE Block128 times_bits_63_62_57(Block128 a) {
    const std::uint64_t x = a.half[0];
    return {{x << 63 ^ x << 62 ^ x << 57, x >> 1 ^ x >> 2 ^ x >> 7}};
  }
};

/// Puts the bits of x in reverse order.
PHALANX_INLINE std::uint64_t reverse_bits(std::uint64_t x) {
  x = ((x >> 1) & 0x5555555555555555U) | ((x & 0x5555555555555555U) << 1);
  x = ((x >> 2) & 0x3333333333333333U) | ((x & 0x3333333333333333U) << 2);
  x = ((x >> 4) & 0x0f0f0f0f0f0f0f0fU) | ((x & 0x0f0f0f0f0f0f0f0fU) << 4);
  return reverse_bytes(x);
}

/// Returns the low 64 bits of the carry-less product. Each factor is split into four numbers that have only every
/// fourth bit. In the integer product of two of those, at most 16 ones meet in a bit. So their carry stays in the three
/// bits that follow, or (16 ones, bits 60 to 63) leaves at the top. There is no branch and no table, and integer
/// multiplication takes constant time here.
PHALANX_INLINE std::uint64_t carryless_multiply_low(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t every_fourth = 0x1111111111111111;
  std::uint64_t product = 0;
  for (unsigned i = 0; i < 4; ++i) {
    std::uint64_t sum = 0;
    for (unsigned j = 0; j < 4; ++j) sum ^= (a & every_fourth << j) * (b & every_fourth << ((i - j) & 3));
    product |= sum & every_fourth << i;
  }
  return product;
}

/// Returns the carry-less product of x and y, whose reversed bits are known, too. The high 64 bits are the low ones of
/// the reversed factors' product, which has the 127 bits in reverse order.
PHALANX_INLINE Block128 carryless_multiply(std::uint64_t x, std::uint64_t y, std::uint64_t x_reversed,
                                           std::uint64_t y_reversed) {
  return {{carryless_multiply_low(x, y), reverse_bits(carryless_multiply_low(x_reversed, y_reversed)) >> 1}};
}

}  // namespace
}  // namespace phalanx
