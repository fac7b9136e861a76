// Half a Word512: the same operations on 256 bits (AVX-512VL), where three ports of the processor work instead of two.
//
// For tests/emulation/ as word_avx512.hpp is.
#pragma once

#ifdef PHALANX_EMULATE_AVX512
#include "avx512_half_emulation.hpp"
#else

#include "engine/lanes/word_avx512.hpp"

namespace phalanx {
namespace {

/// This word holds 256 lanes of one bit, 8 of 32 bits, or 32 bytes of a message. The operations are those of Word512.
struct HalfWord512 {
  __m256i bits;

  static PHALANX_INLINE HalfWord512 load(const void* p) { return {_mm256_loadu_si256(static_cast<const __m256i*>(p))}; }
  PHALANX_INLINE void store(void* p) const { _mm256_storeu_si256(static_cast<__m256i*>(p), bits); }
  static PHALANX_INLINE HalfWord512 load_first(const void* p, std::size_t num_bytes) {
    return {_mm256_maskz_loadu_epi8(first_bytes(num_bytes), p)};
  }
  PHALANX_INLINE void store_first(void* p, std::size_t num_bytes) const {
    _mm256_mask_storeu_epi8(p, first_bytes(num_bytes), bits);
  }
  static PHALANX_INLINE __mmask32 first_bytes(std::size_t num_bytes) {
    return static_cast<__mmask32>((std::uint64_t{1} << num_bytes) - 1);
  }
  static PHALANX_INLINE HalfWord512 low_half(Word512 a) { return {_mm512_castsi512_si256(a.bits)}; }
  static PHALANX_INLINE HalfWord512 high_half(Word512 a) { return {_mm512_extracti64x4_epi64(a.bits, 1)}; }
  friend PHALANX_INLINE Word512 join_halves(HalfWord512 low, HalfWord512 high) {
    return {_mm512_inserti64x4(_mm512_castsi256_si512(low.bits), high.bits, 1)};
  }
  friend PHALANX_INLINE Word128 first128(HalfWord512 a) { return {_mm256_castsi256_si128(a.bits)}; }
  static PHALANX_INLINE HalfWord512 broadcast32(std::uint32_t x) { return {_mm256_set1_epi32(static_cast<int>(x))}; }
  static PHALANX_INLINE HalfWord512 broadcast64(std::uint64_t x) { return {_mm256_set1_epi64x(static_cast<long long>(x))}; }

  friend PHALANX_INLINE HalfWord512 operator&(HalfWord512 a, HalfWord512 b) { return {_mm256_and_si256(a.bits, b.bits)}; }
  friend PHALANX_INLINE HalfWord512 operator^(HalfWord512 a, HalfWord512 b) { return {_mm256_xor_si256(a.bits, b.bits)}; }

  friend PHALANX_INLINE HalfWord512 shuffle_bytes(HalfWord512 v, HalfWord512 index) {
    return {_mm256_shuffle_epi8(v.bits, index.bits)};
  }
  friend PHALANX_INLINE HalfWord512 shuffle_bytes_where(std::uint64_t mask, HalfWord512 v, HalfWord512 index,
                                                        HalfWord512 otherwise) {
    return {_mm256_mask_shuffle_epi8(otherwise.bits, static_cast<__mmask32>(mask), v.bits, index.bits)};
  }
  friend PHALANX_INLINE HalfWord512 blend_bytes(std::uint64_t mask, HalfWord512 a, HalfWord512 b) {
    return {_mm256_mask_blend_epi8(static_cast<__mmask32>(mask), a.bits, b.bits)};
  }
  friend PHALANX_INLINE HalfWord512 affine(HalfWord512 v, HalfWord512 matrix) {
    return {_mm256_gf2p8affine_epi64_epi8(v.bits, matrix.bits, 0)};
  }
  friend PHALANX_INLINE HalfWord512 unpack_low32(HalfWord512 a, HalfWord512 b) {
    return {_mm256_unpacklo_epi32(a.bits, b.bits)};
  }
  friend PHALANX_INLINE HalfWord512 unpack_high32(HalfWord512 a, HalfWord512 b) {
    return {_mm256_unpackhi_epi32(a.bits, b.bits)};
  }
  friend PHALANX_INLINE HalfWord512 unpack_low64(HalfWord512 a, HalfWord512 b) {
    return {_mm256_unpacklo_epi64(a.bits, b.bits)};
  }
  friend PHALANX_INLINE HalfWord512 unpack_high64(HalfWord512 a, HalfWord512 b) {
    return {_mm256_unpackhi_epi64(a.bits, b.bits)};
  }
};

template <std::uint8_t table>
PHALANX_INLINE HalfWord512 lut3(HalfWord512 a, HalfWord512 b, HalfWord512 c) {
  return {_mm256_ternarylogic_epi64(a.bits, b.bits, c.bits, table)};
}
template <int count>
PHALANX_INLINE HalfWord512 rotate_left32(HalfWord512 a) {
  return {_mm256_rol_epi32(a.bits, count)};
}
template <int count>
PHALANX_INLINE HalfWord512 shift_left32(HalfWord512 a) {
  return {_mm256_slli_epi32(a.bits, count)};
}

}  // namespace
}  // namespace phalanx

#endif  // PHALANX_EMULATE_AVX512
