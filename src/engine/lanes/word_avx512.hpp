// These are the lane words and vectors of AVX-512 F/BW/DQ/VL/VBMI with GFNI, VAES and VPCLMULQDQ.
//
// Every instruction that the AVX-512 kernels use has its name here, and only here. Tests compile the same kernels over
// tests/emulation/avx512_emulation.hpp, which defines the same names in plain C++. So the kernels' logic is tested on
// every machine. The names themselves are tested, against the emulation, on machines that have the instructions.
#pragma once

#ifdef PHALANX_EMULATE_AVX512
#include "avx512_emulation.hpp"
#else

// g++ 12 warns of its own header's deliberately undefined operands (GCC bug 105593).
#pragma GCC diagnostic push
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop

#include "engine/lanes/lane_word.hpp"
#include "engine/lanes/word_aesni.hpp"

namespace phalanx {
namespace {

/// This word holds 512 lanes of one bit, 16 of 32 bits, or 64 bytes of a message.
struct Word512 {
  __m512i bits;

  static PHALANX_INLINE Word512 load(const void* p) { return {_mm512_loadu_si512(p)}; }
  PHALANX_INLINE void store(void* p) const { _mm512_storeu_si512(p, bits); }
  /// The first num_bytes bytes, whole 64-bit elements, and zeros; no byte behind them is touched.
  static PHALANX_INLINE Word512 load_first(const void* p, std::size_t num_bytes) {
    return {_mm512_maskz_loadu_epi64(static_cast<__mmask8>((1U << num_bytes / 8) - 1), p)};
  }
  PHALANX_INLINE void store_first(void* p, std::size_t num_bytes) const {
    _mm512_mask_storeu_epi64(p, static_cast<__mmask8>((1U << num_bytes / 8) - 1), bits);
  }
  /// The bytes whose bit the mask has, and zeros; no other byte is touched.
  static PHALANX_INLINE Word512 load_bytes(const void* p, std::uint64_t mask) { return {_mm512_maskz_loadu_epi8(mask, p)}; }
  PHALANX_INLINE void store_bytes(void* p, std::uint64_t mask) const { _mm512_mask_storeu_epi8(p, mask, bits); }
  static PHALANX_INLINE Word512 zero() { return {_mm512_setzero_si512()}; }
  static PHALANX_INLINE Word512 broadcast64(std::uint64_t x) { return {_mm512_set1_epi64(static_cast<long long>(x))}; }
  static PHALANX_INLINE Word512 broadcast32(std::uint32_t x) { return {_mm512_set1_epi32(static_cast<int>(x))}; }
  static PHALANX_INLINE Word512 broadcast8(std::uint8_t x) { return {_mm512_set1_epi8(static_cast<char>(x))}; }
  static PHALANX_INLINE Word512 broadcast128(const void* p) {
    return {_mm512_broadcast_i32x4(_mm_loadu_si128(static_cast<const __m128i*>(p)))};
  }
  static PHALANX_INLINE Word512 broadcast256(const void* p) {
    return {_mm512_broadcast_i64x4(_mm256_loadu_si256(static_cast<const __m256i*>(p)))};
  }
  /// One block, and zeros after it.
  static PHALANX_INLINE Word512 from128(Word128 a) { return {_mm512_zextsi128_si512(a.bits)}; }
  friend PHALANX_INLINE Word128 first128(Word512 a) { return {_mm512_castsi512_si128(a.bits)}; }
  /// The four 128-bit elements, added (XOR).
  friend PHALANX_INLINE Word128 sum128(Word512 a) {
    const __m256i halves = _mm256_xor_si256(_mm512_castsi512_si256(a.bits), _mm512_extracti64x4_epi64(a.bits, 1));
    return {_mm_xor_si128(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1))};
  }
  /// Returns the second 128-bit element and those behind it, and then the first one of `next` (VALIGNQ).
  friend PHALANX_INLINE Word512 blocks_from_second(Word512 a, Word512 next) {
    return {_mm512_alignr_epi64(next.bits, a.bits, 2)};
  }
  /// Exchanges the 64-bit halves of each 128-bit element.
  friend PHALANX_INLINE Word512 swap_halves(Word512 a) { return {_mm512_shuffle_epi32(a.bits, _MM_PERM_BADC)}; }
  /// Puts the bytes of each 128-bit element in reverse order.
  friend PHALANX_INLINE Word512 reverse_bytes128(Word512 a) {
    return shuffle_bytes(a, {_mm512_broadcast_i32x4(_mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))});
  }
  /// Byte i is 0xff where bit i of the mask is set, else 0 (VPMOVM2B).
  static PHALANX_INLINE Word512 from_byte_mask(std::uint64_t mask) { return {_mm512_movm_epi8(mask)}; }

  /// Four numbers of 128 bits from high:low on; `low` must not carry.
  static PHALANX_INLINE Word512 numbers128(std::uint64_t high, std::uint64_t low) {
    const __m512i numbers = _mm512_mask_set1_epi64(broadcast64(low).bits, 0xaa, static_cast<long long>(high));
    return {_mm512_add_epi64(numbers, _mm512_setr_epi64(0, 0, 1, 0, 2, 0, 3, 0))};
  }
  friend PHALANX_INLINE Word512 add_low64(Word512 v, std::uint64_t n) {
    const auto low = static_cast<long long>(n);
    return {_mm512_add_epi64(v.bits, _mm512_setr_epi64(low, 0, low, 0, low, 0, low, 0))};
  }

  // x^128 = x^7 + x^2 + x + 1, which is 0x87. VPCLMULQDQ and byte shifts leave the port of the AES rounds alone; shifts by
  // bits do not.
  static constexpr std::size_t tweak_step = 2;
  static PHALANX_INLINE Word512 first_tweaks(const void* tweak, std::size_t number) {
    const auto shift = static_cast<long long>(4 * number);
    const __m512i t = broadcast128(tweak).bits;
    const __m512i counts = _mm512_add_epi64(_mm512_set1_epi64(shift), _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3));
    const __m512i left = _mm512_srlv_epi64(t, _mm512_sub_epi64(_mm512_set1_epi64(64), counts));  // what leaves each half
    const __m512i crossed = _mm512_maskz_shuffle_epi32(0xcccc, left, _MM_PERM_BADC);             // ... for the high one
    const __m512i reduced = _mm512_clmulepi64_epi128(left, _mm512_set1_epi64(0x87), 0x01);
    return {_mm512_ternarylogic_epi64(_mm512_sllv_epi64(t, counts), crossed, reduced, 0x96)};
  }
  friend PHALANX_INLINE Word512 next_tweaks(Word512 t) {  // times alpha^8
    const __m512i left = _mm512_bsrli_epi128(t.bits, 15);
    return {_mm512_xor_si512(_mm512_bslli_epi128(t.bits, 1), _mm512_clmulepi64_epi128(left, _mm512_set1_epi64(0x87), 0))};
  }
  static constexpr std::size_t far_tweak_step = 16;
  friend PHALANX_INLINE Word512 far_tweaks(Word512 t) {  // times alpha^64
    const __m512i reduced = _mm512_clmulepi64_epi128(t.bits, _mm512_set1_epi64(0x87), 0x01);
    return {_mm512_xor_si512(_mm512_bslli_epi128(t.bits, 8), reduced)};
  }

  friend PHALANX_INLINE Word512 operator&(Word512 a, Word512 b) { return {_mm512_and_si512(a.bits, b.bits)}; }
  friend PHALANX_INLINE Word512 operator|(Word512 a, Word512 b) { return {_mm512_or_si512(a.bits, b.bits)}; }
  friend PHALANX_INLINE Word512 operator^(Word512 a, Word512 b) { return {_mm512_xor_si512(a.bits, b.bits)}; }
  friend PHALANX_INLINE Word512 operator~(Word512 a) { return {_mm512_ternarylogic_epi64(a.bits, a.bits, a.bits, 0x55)}; }
  /// a & ~b
  friend PHALANX_INLINE Word512 and_not(Word512 a, Word512 b) { return {_mm512_andnot_si512(b.bits, a.bits)}; }
  /// Every 64-bit element shifted by its own count, 0 to 63.
  friend PHALANX_INLINE Word512 shift_left_each64(Word512 a, Word512 counts) {
    return {_mm512_sllv_epi64(a.bits, counts.bits)};
  }
  friend PHALANX_INLINE Word512 shift_right_each64(Word512 a, Word512 counts) {
    return {_mm512_srlv_epi64(a.bits, counts.bits)};
  }
  /// Puts the OR of all 64-bit elements in every one.
  friend PHALANX_INLINE Word512 or_across64(Word512 a) {
    const __m512i halves = _mm512_or_si512(a.bits, _mm512_shuffle_i64x2(a.bits, a.bits, 0x4e));
    const __m512i quarters = _mm512_or_si512(halves, _mm512_shuffle_i64x2(halves, halves, 0xb1));
    return {_mm512_or_si512(quarters, _mm512_shuffle_epi32(quarters, _MM_PERM_BADC))};
  }
  /// Exchanges the 32-bit halves of each 64-bit element.
  friend PHALANX_INLINE Word512 swap32(Word512 a) { return {_mm512_shuffle_epi32(a.bits, _MM_PERM_CDAB)}; }
  /// Every 32-bit element rotated to the left by its own count, 0 to 31.
  friend PHALANX_INLINE Word512 rotate_left_each32(Word512 a, Word512 counts) {
    return {_mm512_rolv_epi32(a.bits, counts.bits)};
  }
  /// Puts the low half of every 64-bit element in both of its halves.
  friend PHALANX_INLINE Word512 double_low32(Word512 a) { return {_mm512_shuffle_epi32(a.bits, _MM_PERM_CCAA)}; }
  /// Loads 8 bytes, each as a 64-bit element.
  static PHALANX_INLINE Word512 widen_bytes(const void* p) {
    return {_mm512_cvtepu8_epi64(_mm_loadl_epi64(static_cast<const __m128i*>(p)))};
  }
  friend PHALANX_INLINE std::uint64_t first64(Word512 a) {
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm512_castsi512_si128(a.bits)));
  }
  friend PHALANX_INLINE Word512 add32(Word512 a, Word512 b) { return {_mm512_add_epi32(a.bits, b.bits)}; }

  /// Byte i of each 128-bit element becomes byte (index i mod 16) of that element; 0 where the index has bit 7 (VPSHUFB).
  friend PHALANX_INLINE Word512 shuffle_bytes(Word512 v, Word512 index) { return {_mm512_shuffle_epi8(v.bits, index.bits)}; }
  /// As shuffle_bytes where the mask has bit i; elsewhere byte i of `otherwise`.
  friend PHALANX_INLINE Word512 shuffle_bytes_where(std::uint64_t mask, Word512 v, Word512 index, Word512 otherwise) {
    return {_mm512_mask_shuffle_epi8(otherwise.bits, mask, v.bits, index.bits)};
  }
  /// Byte i becomes table byte (index i mod 64) (VPERMB).
  friend PHALANX_INLINE Word512 permute_bytes(Word512 table, Word512 index) {
    return {_mm512_permutexvar_epi8(index.bits, table.bits)};
  }
  /// As permute_bytes where the mask has bit i; elsewhere byte i of `otherwise`.
  friend PHALANX_INLINE Word512 permute_bytes_where(std::uint64_t mask, Word512 table, Word512 index, Word512 otherwise) {
    return {_mm512_mask_permutexvar_epi8(otherwise.bits, mask, index.bits, table.bits)};
  }
  friend PHALANX_INLINE Word512 permute_bytes_or_zero(std::uint64_t mask, Word512 table, Word512 index) {
    return {_mm512_maskz_permutexvar_epi8(mask, index.bits, table.bits)};
  }
  /// Byte i of b where the mask has bit i, else of a.
  friend PHALANX_INLINE Word512 blend_bytes(std::uint64_t mask, Word512 a, Word512 b) {
    return {_mm512_mask_blend_epi8(mask, a.bits, b.bits)};
  }
  /// Returns the top bit of every byte (VPMOVB2M).
  friend PHALANX_INLINE std::uint64_t top_bits_of_bytes(Word512 a) { return _mm512_movepi8_mask(a.bits); }

  /// Multiplies every byte of v, as a bit vector, by the 8x8 bit matrix in the same 64-bit element of `matrix`. This is
  /// GF2P8AFFINEQB (SDM volume 2: result bit i = parity(matrix byte 7 - i & byte)). With v and matrix exchanged it
  /// transposes bits.
  friend PHALANX_INLINE Word512 affine(Word512 v, Word512 matrix) {
    return {_mm512_gf2p8affine_epi64_epi8(v.bits, matrix.bits, 0)};
  }

  /// AESENC, AESENCLAST, AESDEC, AESDECLAST on four blocks.
  friend PHALANX_INLINE Word512 aes_encrypt_round(Word512 v, Word512 key) {
    return {_mm512_aesenc_epi128(v.bits, key.bits)};
  }
  friend PHALANX_INLINE Word512 aes_encrypt_last(Word512 v, Word512 key) {
    return {_mm512_aesenclast_epi128(v.bits, key.bits)};
  }
  friend PHALANX_INLINE Word512 aes_decrypt_round(Word512 v, Word512 key) {
    return {_mm512_aesdec_epi128(v.bits, key.bits)};
  }
  friend PHALANX_INLINE Word512 aes_decrypt_last(Word512 v, Word512 key) {
    return {_mm512_aesdeclast_epi128(v.bits, key.bits)};
  }

  /// Interleaves the low (high) halves of each 128-bit element (VPUNPCK*).
  friend PHALANX_INLINE Word512 unpack_low64(Word512 a, Word512 b) { return {_mm512_unpacklo_epi64(a.bits, b.bits)}; }
  friend PHALANX_INLINE Word512 unpack_high64(Word512 a, Word512 b) { return {_mm512_unpackhi_epi64(a.bits, b.bits)}; }
  friend PHALANX_INLINE Word512 unpack_low32(Word512 a, Word512 b) { return {_mm512_unpacklo_epi32(a.bits, b.bits)}; }
  friend PHALANX_INLINE Word512 unpack_high32(Word512 a, Word512 b) { return {_mm512_unpackhi_epi32(a.bits, b.bits)}; }
};

template <std::uint8_t table>
PHALANX_INLINE Word512 lut3(Word512 a, Word512 b, Word512 c) {
  return {_mm512_ternarylogic_epi64(a.bits, b.bits, c.bits, table)};
}
template <int count>
PHALANX_INLINE Word512 rotate_left32(Word512 a) {
  return {_mm512_rol_epi32(a.bits, count)};
}
template <int count>
PHALANX_INLINE Word512 shift_left32(Word512 a) {
  return {_mm512_slli_epi32(a.bits, count)};
}
template <int count>
PHALANX_INLINE Word512 shift_right32(Word512 a) {
  return {_mm512_srli_epi32(a.bits, count)};
}
/// Carry-less product of one 64-bit half of each 128-bit element of a (bit 0 of `halves`: which) and of b (bit 4).
template <int halves>
PHALANX_INLINE Word512 carryless_multiply(Word512 a, Word512 b) {
  return {_mm512_clmulepi64_epi128(a.bits, b.bits, halves)};
}
/// Takes 128-bit elements, two of a and then two of b, each by two bits of `order` (VSHUFI64X2).
template <int order>
PHALANX_INLINE Word512 shuffle128(Word512 a, Word512 b) {
  return {_mm512_shuffle_i64x2(a.bits, b.bits, order)};
}
/// Each 128-bit element shifted right (left) by whole bytes, zeros coming in.
template <int num_bytes>
PHALANX_INLINE Word512 shift_right_bytes128(Word512 a) {
  return {_mm512_bsrli_epi128(a.bits, num_bytes)};
}
template <int num_bytes>
PHALANX_INLINE Word512 shift_left_bytes128(Word512 a) {
  return {_mm512_bslli_epi128(a.bits, num_bytes)};
}

}  // namespace
}  // namespace phalanx

#endif  // PHALANX_EMULATE_AVX512
