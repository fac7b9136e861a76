// These are the lane words and vectors of AVX2, with AES-NI and PCLMULQDQ.
#pragma once

#include <immintrin.h>

#include "engine/lanes/lane_word.hpp"
#include "engine/lanes/lut3_two_input.hpp"
#include "engine/lanes/word_aesni.hpp"

namespace phalanx {
namespace {

/// This word holds 256 lanes of one bit, 8 of 32 bits, or 32 bytes of a message.
struct Word256 {
  static constexpr bool has_lut3 = false;
  __m256i bits;

  static PHALANX_INLINE Word256 load(const void* p) { return {_mm256_loadu_si256(static_cast<const __m256i*>(p))}; }
  PHALANX_INLINE void store(void* p) const { _mm256_storeu_si256(static_cast<__m256i*>(p), bits); }
  /// The first num_bytes bytes, whole 64-bit elements, and zeros; no byte behind them is touched.
  static PHALANX_INLINE Word256 load_first(const void* p, std::size_t num_bytes) {
    return {_mm256_maskload_epi64(static_cast<const long long*>(p), first_elements(num_bytes))};
  }
  PHALANX_INLINE void store_first(void* p, std::size_t num_bytes) const {
    _mm256_maskstore_epi64(static_cast<long long*>(p), first_elements(num_bytes), bits);
  }
  static PHALANX_INLINE __m256i first_elements(std::size_t num_bytes) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<long long>(num_bytes)), _mm256_setr_epi64x(7, 15, 23, 31));
  }
  /// The first 0, 1 or 2 blocks of 16 bytes, as load_first and store_first, whose masks take longer. `others`: what stands
  /// in place of blocks that do not exist.
  static PHALANX_INLINE Word256 load_blocks(const void* p, std::size_t num_blocks, Word256 others) {
    if (num_blocks == 0) return others;
    if (num_blocks == 1) return {_mm256_inserti128_si256(others.bits, Word128::load(p).bits, 0)};
    return load(p);
  }
  PHALANX_INLINE void store_blocks(void* p, std::size_t num_blocks) const {
    if (num_blocks == 1) Word128{_mm256_castsi256_si128(bits)}.store(p);
    if (num_blocks == 2) store(p);
  }
  static PHALANX_INLINE Word256 zero() { return {_mm256_setzero_si256()}; }
  static PHALANX_INLINE Word256 broadcast64(std::uint64_t x) { return {_mm256_set1_epi64x(static_cast<long long>(x))}; }
  static PHALANX_INLINE Word256 broadcast32(std::uint32_t x) { return {_mm256_set1_epi32(static_cast<int>(x))}; }
  static PHALANX_INLINE Word256 broadcast8(std::uint8_t x) { return {_mm256_set1_epi8(static_cast<char>(x))}; }
  static PHALANX_INLINE Word256 broadcast128(const void* p) {
    return {_mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(p)))};
  }
  static PHALANX_INLINE __m256i repeat128(__m128i a) { return _mm256_broadcastsi128_si256(a); }

  /// One block, and zeros after it.
  static PHALANX_INLINE Word256 from128(Word128 a) { return {_mm256_zextsi128_si256(a.bits)}; }
  /// The two 128-bit elements, added (XOR).
  friend PHALANX_INLINE Word128 sum128(Word256 a) {
    return {_mm_xor_si128(_mm256_castsi256_si128(a.bits), _mm256_extracti128_si256(a.bits, 1))};
  }
  friend PHALANX_INLINE Word128 first128(Word256 a) { return {_mm256_castsi256_si128(a.bits)}; }
  /// Exchanges the 32-bit halves of each 64-bit element.
  friend PHALANX_INLINE Word256 swap32(Word256 a) { return {_mm256_shuffle_epi32(a.bits, 0xb1)}; }
  /// Every 32-bit element rotated to the left by its own count, 0 to 31.
  friend PHALANX_INLINE Word256 rotate_left_each32(Word256 a, Word256 counts) {
    const __m256i rest = _mm256_sub_epi32(_mm256_set1_epi32(32), counts.bits);
    return {_mm256_or_si256(_mm256_sllv_epi32(a.bits, counts.bits), _mm256_srlv_epi32(a.bits, rest))};
  }
  /// Exchanges the 64-bit halves of each 128-bit element.
  friend PHALANX_INLINE Word256 swap_halves(Word256 a) { return {_mm256_shuffle_epi32(a.bits, 0x4e)}; }

  /// Two numbers of 128 bits from high:low on; `low` must not carry.
  static PHALANX_INLINE Word256 numbers128(std::uint64_t high, std::uint64_t low) {
    const auto h = static_cast<long long>(high);
    const auto l = static_cast<long long>(low);
    return {_mm256_add_epi64(_mm256_setr_epi64x(l, h, l, h), _mm256_setr_epi64x(0, 0, 1, 0))};
  }
  friend PHALANX_INLINE Word256 add_low64(Word256 v, std::uint64_t n) {
    const auto low = static_cast<long long>(n);
    return {_mm256_add_epi64(v.bits, _mm256_setr_epi64x(low, 0, low, 0))};
  }
  friend PHALANX_INLINE Word256 reverse_bytes128(Word256 v) {
    return shuffle_bytes(v, {_mm256_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0,  //
                                              15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)});
  }

  static constexpr std::size_t far_tweak_step = 8;  ///< where there are far_tweaks (word_avx2_vaes.hpp)
  static constexpr std::size_t tweak_step = 1;
  static PHALANX_INLINE Word256 first_tweaks(const void* tweak, std::size_t /*number*/) {
    const Word128 t = Word128::load(tweak);
    return {_mm256_set_m128i(next_tweaks(t).bits, t.bits)};
  }
  /// Times alpha^2. Two bits leave each half: the low half's go to the high half, the high half's are multiplied by 0x87,
  /// which is x^128, into two bytes. A shuffle places them as indices, and another one looks up all three bytes.
  friend PHALANX_INLINE Word256 next_tweaks(Word256 t) {
    constexpr char none = -1;
    const __m256i place = repeat128(_mm_setr_epi8(8, 8, none, none, none, none, none, none,  //
                                                  0, none, none, none, none, none, none, none));
    const __m256i row = repeat128(_mm_setr_epi8(0, 4, 12, 12, 12, 12, 12, 12, 8, 12, 12, 12, 12, 12, 12, 12));
    const __m256i products = repeat128(_mm_setr_epi8(0, static_cast<char>(0x87), 0x0e, static_cast<char>(0x89),  // low bytes
                                                     0, 0, 1, 1,                                                 // high ones
                                                     0, 1, 2, 3, 0, 0, 0, 0));
    const __m256i left = _mm256_shuffle_epi8(_mm256_srli_epi64(t.bits, 62), place);
    const __m256i carry = _mm256_shuffle_epi8(products, _mm256_or_si256(left, row));
    return {_mm256_xor_si256(_mm256_slli_epi64(t.bits, 2), carry)};
  }
  /// Byte i of each 128-bit element becomes byte (index i mod 16) of the same element; 0 where the index has bit 7 set.
  friend PHALANX_INLINE Word256 shuffle_bytes(Word256 v, Word256 index) { return {_mm256_shuffle_epi8(v.bits, index.bits)}; }
  friend PHALANX_INLINE Word256 operator&(Word256 a, Word256 b) { return {_mm256_and_si256(a.bits, b.bits)}; }
  friend PHALANX_INLINE Word256 operator|(Word256 a, Word256 b) { return {_mm256_or_si256(a.bits, b.bits)}; }
  friend PHALANX_INLINE Word256 operator^(Word256 a, Word256 b) { return {_mm256_xor_si256(a.bits, b.bits)}; }
  friend PHALANX_INLINE Word256 operator~(Word256 a) {
    return a ^ Word256 { _mm256_set1_epi64x(-1) };
  }
  /// a & ~b
  friend PHALANX_INLINE Word256 and_not(Word256 a, Word256 b) { return {_mm256_andnot_si256(b.bits, a.bits)}; }
  /// Every 64-bit element shifted by its own count, 0 to 63.
  friend PHALANX_INLINE Word256 shift_left_each64(Word256 a, Word256 counts) {
    return {_mm256_sllv_epi64(a.bits, counts.bits)};
  }
  friend PHALANX_INLINE Word256 shift_right_each64(Word256 a, Word256 counts) {
    return {_mm256_srlv_epi64(a.bits, counts.bits)};
  }
  /// Element i of 32 bits becomes element (index i mod 8) (VPERMD).
  friend PHALANX_INLINE Word256 permute32(Word256 v, Word256 index) {
    return {_mm256_permutevar8x32_epi32(v.bits, index.bits)};
  }
  /// Exchanges the two 128-bit elements.
  friend PHALANX_INLINE Word256 swap128(Word256 a) { return {_mm256_permute2x128_si256(a.bits, a.bits, 1)}; }
  /// Byte i of `yes` where the top bit of byte i of `which` is set, else of `no`.
  friend PHALANX_INLINE Word256 choose_by_top_bits(Word256 which, Word256 yes, Word256 no) {
    return {_mm256_blendv_epi8(no.bits, yes.bits, which.bits)};
  }
  /// Every 64-bit element of `value` where the top bit of that of `which` is set, else zero.
  friend PHALANX_INLINE Word256 where_top_bit64(Word256 which, Word256 value) {
    return {_mm256_and_si256(_mm256_cmpgt_epi64(_mm256_setzero_si256(), which.bits), value.bits)};
  }
  /// Puts the OR of all 64-bit elements in every one.
  friend PHALANX_INLINE Word256 or_across64(Word256 a) {
    const __m256i halves = _mm256_or_si256(a.bits, _mm256_permute2x128_si256(a.bits, a.bits, 1));
    return {_mm256_or_si256(halves, _mm256_shuffle_epi32(halves, 0x4e))};
  }
  /// Puts the low half of every 64-bit element in both of its halves.
  friend PHALANX_INLINE Word256 double_low32(Word256 a) { return {_mm256_shuffle_epi32(a.bits, 0xa0)}; }
  /// Loads 4 bytes, each as a 64-bit element.
  static PHALANX_INLINE Word256 widen_bytes(const void* p) {
    return {_mm256_cvtepu8_epi64(_mm_cvtsi32_si128(static_cast<int>(load_u32(p))))};
  }
  friend PHALANX_INLINE std::uint64_t first64(Word256 a) {
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_castsi256_si128(a.bits)));
  }
  /// v itself, which the optimiser takes for new: g++ turns a long sum into a tree of sums, and then lacks registers.
  friend PHALANX_INLINE Word256 apart(Word256 v) {
    __asm__("" : "+x"(v.bits));
    return v;
  }
  /// Subtracts signed bytes, with -128 as the least result.
  friend PHALANX_INLINE Word256 subtract_saturated8(Word256 a, Word256 b) { return {_mm256_subs_epi8(a.bits, b.bits)}; }
  friend PHALANX_INLINE Word256 add32(Word256 a, Word256 b) { return {_mm256_add_epi32(a.bits, b.bits)}; }

  /// Interleaves the low (high) halves of each 128-bit element (VPUNPCK*).
  friend PHALANX_INLINE Word256 unpack_low64(Word256 a, Word256 b) { return {_mm256_unpacklo_epi64(a.bits, b.bits)}; }
  friend PHALANX_INLINE Word256 unpack_high64(Word256 a, Word256 b) { return {_mm256_unpackhi_epi64(a.bits, b.bits)}; }
  /// Puts the low (high) 128-bit elements of a and of b together.
  friend PHALANX_INLINE Word256 unpack_low128(Word256 a, Word256 b) {
    return {_mm256_permute2x128_si256(a.bits, b.bits, 0x20)};
  }
  friend PHALANX_INLINE Word256 unpack_high128(Word256 a, Word256 b) {
    return {_mm256_permute2x128_si256(a.bits, b.bits, 0x31)};
  }
  friend PHALANX_INLINE Word256 unpack_low32(Word256 a, Word256 b) { return {_mm256_unpacklo_epi32(a.bits, b.bits)}; }
  friend PHALANX_INLINE Word256 unpack_high32(Word256 a, Word256 b) { return {_mm256_unpackhi_epi32(a.bits, b.bits)}; }
};

template <std::uint8_t table>
PHALANX_INLINE Word256 lut3(Word256 a, Word256 b, Word256 c) {
  return lut3_two_input<table>(a, b, c);
}

template <int count>
PHALANX_INLINE Word256 rotate_left32(Word256 a) {
  return {_mm256_or_si256(_mm256_slli_epi32(a.bits, count), _mm256_srli_epi32(a.bits, 32 - count))};
}
template <int count>
PHALANX_INLINE Word256 shift_left32(Word256 a) {
  return {_mm256_slli_epi32(a.bits, count)};
}
template <int count>
PHALANX_INLINE Word256 shift_right32(Word256 a) {
  return {_mm256_srli_epi32(a.bits, count)};
}
/// The 32-bit elements of b where the mask has a bit, else of a.
template <int mask>
PHALANX_INLINE Word256 blend32(Word256 a, Word256 b) {
  return {_mm256_blend_epi32(a.bits, b.bits, mask)};
}
/// Each 128-bit element shifted left (right) by whole bytes, zeros coming in.
template <int num_bytes>
PHALANX_INLINE Word256 shift_left_bytes128(Word256 a) {
  return {_mm256_slli_si256(a.bits, num_bytes)};
}
template <int num_bytes>
PHALANX_INLINE Word256 shift_right_bytes128(Word256 a) {
  return {_mm256_srli_si256(a.bits, num_bytes)};
}

}  // namespace
}  // namespace phalanx
