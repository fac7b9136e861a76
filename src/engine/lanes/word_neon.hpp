// This is the lane word and vector of AArch64's Advanced SIMD (NEON), with AES and the carry-less products of PMULL. A set
// with SHA3 compiles the same header: compilers put EOR3 and BCAX where two operations of it meet.
#pragma once

#include <arm_neon.h>

#include "engine/lanes/lane_word.hpp"
#include "engine/lanes/lut3_two_input.hpp"

namespace phalanx {
namespace {

/// This word holds 128 lanes of one bit, 4 of 32 bits, or a block of 16 bytes.
struct NeonWord {
  static constexpr bool has_lut3 = false;
  uint64x2_t bits;

  static PHALANX_INLINE NeonWord load(const void* p) { return of(vld1q_u8(static_cast<const std::uint8_t*>(p))); }
  PHALANX_INLINE void store(void* p) const { vst1q_u8(static_cast<std::uint8_t*>(p), bytes()); }
  /// The first 16, 8 or no bytes; the others are zero, or not written.
  static PHALANX_INLINE NeonWord load_first(const void* p, std::size_t num_bytes) {
    return num_bytes == 16 ? load(p) : from_halves(0, num_bytes != 0 ? load_u64(p) : 0);
  }
  PHALANX_INLINE void store_first(void* p, std::size_t num_bytes) const {
    if (num_bytes == 16) {
      store(p);
    } else if (num_bytes != 0) {
      store_u64(p, first64());
    }
  }
  static PHALANX_INLINE NeonWord zero() { return {vdupq_n_u64(0)}; }
  static PHALANX_INLINE NeonWord broadcast64(std::uint64_t x) { return {vdupq_n_u64(x)}; }
  static PHALANX_INLINE NeonWord broadcast32(std::uint32_t x) { return of(vdupq_n_u32(x)); }
  static PHALANX_INLINE NeonWord broadcast8(std::uint8_t x) { return of(vdupq_n_u8(x)); }
  static PHALANX_INLINE NeonWord broadcast128(const void* p) { return load(p); }
  /// Makes the number high:low, little-endian.
  static PHALANX_INLINE NeonWord from_halves(std::uint64_t high, std::uint64_t low) {
    return {vcombine_u64(vcreate_u64(low), vcreate_u64(high))};
  }
  PHALANX_INLINE std::uint32_t first32() const { return vgetq_lane_u32(dwords(), 0); }
  PHALANX_INLINE std::uint64_t first64() const { return vgetq_lane_u64(bits, 0); }

  static PHALANX_INLINE NeonWord numbers128(std::uint64_t high, std::uint64_t low) { return from_halves(high, low); }
  friend PHALANX_INLINE NeonWord add_low64(NeonWord v, std::uint64_t n) {
    return {vaddq_u64(v.bits, vcombine_u64(vcreate_u64(n), vcreate_u64(0)))};
  }
  friend PHALANX_INLINE NeonWord reverse_bytes128(NeonWord v) { return swap_halves(of(vrev64q_u8(v.bytes()))); }
  static constexpr std::size_t tweak_step = 1;
  static PHALANX_INLINE NeonWord first_tweaks(const void* tweak, std::size_t /*number*/) { return load(tweak); }
  /// Times alpha: what leaves the low half goes to the high one, and what leaves the high one comes back as 0x87.
  friend PHALANX_INLINE NeonWord next_tweaks(NeonWord t) {
    const NeonWord signs{vreinterpretq_u64_s64(vshrq_n_s64(vreinterpretq_s64_u64(t.bits), 63))};
    return NeonWord{vaddq_u64(t.bits, t.bits)} ^ (swap_halves(signs) & from_halves(1, 0x87));
  }

  static PHALANX_INLINE NeonWord of(uint8x16_t bytes) { return {vreinterpretq_u64_u8(bytes)}; }
  static PHALANX_INLINE NeonWord of(uint32x4_t dwords) { return {vreinterpretq_u64_u32(dwords)}; }
  PHALANX_INLINE uint8x16_t bytes() const { return vreinterpretq_u8_u64(bits); }
  PHALANX_INLINE uint32x4_t dwords() const { return vreinterpretq_u32_u64(bits); }

  friend PHALANX_INLINE NeonWord operator&(NeonWord a, NeonWord b) { return {vandq_u64(a.bits, b.bits)}; }
  friend PHALANX_INLINE NeonWord operator|(NeonWord a, NeonWord b) { return {vorrq_u64(a.bits, b.bits)}; }
  friend PHALANX_INLINE NeonWord operator^(NeonWord a, NeonWord b) { return {veorq_u64(a.bits, b.bits)}; }
  friend PHALANX_INLINE NeonWord operator~(NeonWord a) { return of(vmvnq_u8(a.bytes())); }
  /// a & ~b
  friend PHALANX_INLINE NeonWord and_not(NeonWord a, NeonWord b) { return {vbicq_u64(a.bits, b.bits)}; }
  friend PHALANX_INLINE NeonWord add32(NeonWord a, NeonWord b) { return of(vaddq_u32(a.dwords(), b.dwords())); }

  /// Byte i becomes byte (index i), or 0 where the index is 16 or more (TBL).
  friend PHALANX_INLINE NeonWord shuffle_bytes(NeonWord v, NeonWord index) {
    return of(vqtbl1q_u8(v.bytes(), index.bytes()));
  }
  friend PHALANX_INLINE NeonWord swap_halves(NeonWord a) { return {vextq_u64(a.bits, a.bits, 1)}; }
  /// Exchanges the 32-bit halves of each 64-bit element.
  friend PHALANX_INLINE NeonWord swap32(NeonWord a) { return of(vrev64q_u32(a.dwords())); }
  /// These interleave the low (high) halves.
  friend PHALANX_INLINE NeonWord unpack_low64(NeonWord a, NeonWord b) { return {vzip1q_u64(a.bits, b.bits)}; }
  friend PHALANX_INLINE NeonWord unpack_high64(NeonWord a, NeonWord b) { return {vzip2q_u64(a.bits, b.bits)}; }
  friend PHALANX_INLINE NeonWord unpack_low32(NeonWord a, NeonWord b) { return of(vzip1q_u32(a.dwords(), b.dwords())); }
  friend PHALANX_INLINE NeonWord unpack_high32(NeonWord a, NeonWord b) { return of(vzip2q_u32(a.dwords(), b.dwords())); }
  friend PHALANX_INLINE NeonWord first128(NeonWord a) { return a; }
  /// Every 32-bit element rotated to the left by its own count, 0 to 31: USHL shifts to the right by a negative count.
  friend PHALANX_INLINE NeonWord rotate_left_each32(NeonWord a, NeonWord counts) {
    const int32x4_t left = vreinterpretq_s32_u32(counts.dwords());
    const int32x4_t right = vsubq_s32(left, vdupq_n_s32(32));
    return of(vorrq_u32(vshlq_u32(a.dwords(), left), vshlq_u32(a.dwords(), right)));
  }

  /// AESE, AESD, AESMC and AESIMC: the first two add the key, and then substitute and shift.
  friend PHALANX_INLINE NeonWord aes_encrypt_keyed(NeonWord v, NeonWord key) {
    return of(vaeseq_u8(v.bytes(), key.bytes()));
  }
  friend PHALANX_INLINE NeonWord aes_decrypt_keyed(NeonWord v, NeonWord key) {
    return of(vaesdq_u8(v.bytes(), key.bytes()));
  }
  friend PHALANX_INLINE NeonWord aes_mix_columns(NeonWord v) { return of(vaesmcq_u8(v.bytes())); }
  friend PHALANX_INLINE NeonWord aes_inverse_mix_columns(NeonWord v) { return of(vaesimcq_u8(v.bytes())); }
  /// These add the key last, as AESENCLAST and AESDEC do: for key schedules.
  friend PHALANX_INLINE NeonWord aes_encrypt_last(NeonWord v, NeonWord key) { return aes_encrypt_keyed(v, zero()) ^ key; }
  friend PHALANX_INLINE NeonWord aes_decrypt_round(NeonWord v, NeonWord key) {
    return aes_inverse_mix_columns(aes_decrypt_keyed(v, zero())) ^ key;
  }
};

template <std::uint8_t table>
PHALANX_INLINE NeonWord lut3(NeonWord a, NeonWord b, NeonWord c) {
  return lut3_two_input<table>(a, b, c);
}
/// SHL, and SRI, which keeps what the first has put above.
template <int count>
PHALANX_INLINE NeonWord rotate_left32(NeonWord a) {
  if constexpr (count == 16) return NeonWord::of(vreinterpretq_u8_u16(vrev32q_u16(vreinterpretq_u16_u64(a.bits))));
  return NeonWord::of(vsriq_n_u32(vshlq_n_u32(a.dwords(), count), a.dwords(), 32 - count));
}
template <int count>
PHALANX_INLINE NeonWord shift_left32(NeonWord a) {
  return NeonWord::of(vshlq_n_u32(a.dwords(), count));
}
template <int count>
PHALANX_INLINE NeonWord shift_right32(NeonWord a) {
  return NeonWord::of(vshrq_n_u32(a.dwords(), count));
}
/// Shifted left by whole bytes, zeros coming in.
template <int num_bytes>
PHALANX_INLINE NeonWord shift_left_bytes128(NeonWord a) {
  return NeonWord::of(vextq_u8(vdupq_n_u8(0), a.bytes(), 16 - num_bytes));
}
/// Carry-less product of one 64-bit half of a (bit 0 of `halves`: which) and of b (bit 4).
template <int halves>
PHALANX_INLINE NeonWord carryless_multiply(NeonWord a, NeonWord b) {
  const poly64x2_t x = vreinterpretq_p64_u64(a.bits);
  const poly64x2_t y = vreinterpretq_p64_u64(b.bits);
  if constexpr (halves == 0x11) return {vreinterpretq_u64_p128(vmull_high_p64(x, y))};
  return {vreinterpretq_u64_p128(vmull_p64(vgetq_lane_p64(x, halves & 1), vgetq_lane_p64(y, halves >> 4 & 1)))};
}

/// Each byte of each vector becomes its entry in a table of 256 bytes, which comes into registers by quarters. TBX leaves a
/// byte as it is where its index lies behind the 64 entries.
template <std::size_t num_vectors>
PHALANX_INLINE void look_up_bytes(const std::uint8_t table[256], NeonWord (&v)[num_vectors]) {
  const uint8x16_t next = vdupq_n_u8(64);
  uint8x16_t rest[num_vectors];
  const uint8x16x4_t first = vld1q_u8_x4(table);
  for (std::size_t i = 0; i < num_vectors; ++i) {
    rest[i] = v[i].bytes();
    v[i] = NeonWord::of(vqtbl4q_u8(first, rest[i]));
  }
#pragma GCC unroll 3
  for (std::size_t place = 64; place < 256; place += 64) {
    const uint8x16x4_t quarter = vld1q_u8_x4(table + place);
    for (std::size_t i = 0; i < num_vectors; ++i) {
      rest[i] = vsubq_u8(rest[i], next);
      v[i] = NeonWord::of(vqtbx4q_u8(v[i].bytes(), quarter, rest[i]));
    }
  }
}

}  // namespace
}  // namespace phalanx
