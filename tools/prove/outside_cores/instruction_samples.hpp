// The instructions of recorded_instructions.hpp as functions of two operands: included twice, with the compiler's immintrin.h
// and with the recorded one in its place.
#pragma once

#include <immintrin.h>

#include "outside_cores/instruction_check.hpp"

namespace prove {
namespace {

__m256i both(const __m128i& low, const __m128i& high) { return _mm256_set_m128i(high, low); }
__m256i loaded(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
__m128i low(const __m256i& a) { return _mm256_castsi256_si128(a); }
__m128i high(const __m256i& a) { return _mm256_extracti128_si256(a, 1); }
/// Counts from 0 on that are too large in a half of all cases.
[[maybe_unused]] __m256i counts32(const __m256i& a) { return _mm256_and_si256(a, _mm256_set1_epi32(63)); }
[[maybe_unused]] __m256i counts64(const __m256i& a) { return _mm256_and_si256(a, _mm256_set1_epi64x(127)); }

using Sample256 = __m256i (*)(const __m256i& x, const __m256i& y);
#define PROVE_SAMPLE(expression) \
  [](const __m256i& x, const __m256i& y) { return static_cast<void>(x), static_cast<void>(y), expression; }

/// Instruction `number` of some on 32 bytes each; false if there are fewer.
template <std::size_t num_samples>
bool sample_of(const Sample256 (&samples)[num_samples], unsigned number, const void* a, const void* b, void* result) {
  if (number >= num_samples) return false;
  _mm256_storeu_si256(static_cast<__m256i*>(result), samples[number](loaded(a), loaded(b)));
  return true;
}

/// With AVX2 and PCLMULQDQ.
[[maybe_unused]] bool sample(unsigned number, const void* a, const void* b, void* result) {
  static constexpr Sample256 samples[] = {
      PROVE_SAMPLE(_mm256_xor_si256(x, y)),
      PROVE_SAMPLE(_mm256_and_si256(x, y)),
      PROVE_SAMPLE(_mm256_or_si256(x, y)),
      PROVE_SAMPLE(_mm256_andnot_si256(x, y)),
      PROVE_SAMPLE(_mm256_add_epi64(x, y)),
      PROVE_SAMPLE(_mm256_add_epi32(x, y)),
      PROVE_SAMPLE(_mm256_sub_epi32(x, y)),
      PROVE_SAMPLE(_mm256_subs_epi8(x, y)),
      PROVE_SAMPLE(_mm256_slli_epi64(x, 2)),
      PROVE_SAMPLE(_mm256_srli_epi64(x, 62)),
      PROVE_SAMPLE(_mm256_slli_epi32(x, 3)),
      PROVE_SAMPLE(_mm256_srli_epi32(x, 7)),
      PROVE_SAMPLE(_mm256_sllv_epi32(x, counts32(y))),
      PROVE_SAMPLE(_mm256_srlv_epi32(x, counts32(y))),
      PROVE_SAMPLE(_mm256_sllv_epi64(x, counts64(y))),
      PROVE_SAMPLE(_mm256_srlv_epi64(x, counts64(y))),
      PROVE_SAMPLE(_mm256_srlv_epi64(x, y)),
      PROVE_SAMPLE(_mm256_shuffle_epi32(x, 0x4e)),
      PROVE_SAMPLE(_mm256_shuffle_epi32(x, 0x13)),
      PROVE_SAMPLE(_mm256_shuffle_epi8(x, y)),
      PROVE_SAMPLE(_mm256_slli_si256(x, 2)),
      PROVE_SAMPLE(_mm256_srli_si256(x, 14)),
      PROVE_SAMPLE(_mm256_blend_epi32(x, y, 0x9a)),
      PROVE_SAMPLE(_mm256_blendv_epi8(x, y, _mm256_slli_epi64(x, 3))),
      PROVE_SAMPLE(_mm256_permutevar8x32_epi32(x, y)),
      PROVE_SAMPLE(_mm256_permute2x128_si256(x, y, 0x20)),
      PROVE_SAMPLE(_mm256_permute2x128_si256(x, y, 0x31)),
      PROVE_SAMPLE(_mm256_permute2x128_si256(x, y, 0x81)),
      PROVE_SAMPLE(_mm256_unpacklo_epi32(x, y)),
      PROVE_SAMPLE(_mm256_unpackhi_epi32(x, y)),
      PROVE_SAMPLE(_mm256_unpacklo_epi64(x, y)),
      PROVE_SAMPLE(_mm256_unpackhi_epi64(x, y)),
      PROVE_SAMPLE(_mm256_inserti128_si256(x, low(y), 0)),
      PROVE_SAMPLE(_mm256_inserti128_si256(x, low(y), 1)),
      PROVE_SAMPLE(_mm256_cvtepu8_epi64(low(x))),
      PROVE_SAMPLE(_mm256_broadcastsi128_si256(low(x))),
      PROVE_SAMPLE(_mm256_zextsi128_si256(low(x))),
      PROVE_SAMPLE(_mm256_setr_epi64x(1, 2, 3, -4)),
      PROVE_SAMPLE(_mm256_cmpgt_epi64(x, y)),
      PROVE_SAMPLE(_mm256_unpacklo_epi8(x, y)),
      PROVE_SAMPLE(_mm256_unpackhi_epi8(x, y)),
      PROVE_SAMPLE(_mm256_unpacklo_epi16(x, y)),
      PROVE_SAMPLE(_mm256_unpackhi_epi16(x, y)),
      PROVE_SAMPLE(_mm256_cmpgt_epi64(_mm256_setr_epi64x(1, -2, 3, -4), _mm256_set1_epi64x(-3))),
      PROVE_SAMPLE(_mm256_set1_epi8(-3)),
      PROVE_SAMPLE(_mm256_set1_epi32(-30000)),
      PROVE_SAMPLE(both(_mm_add_epi64(low(x), low(y)), high(x))),
      PROVE_SAMPLE(both(_mm_or_si128(low(x), low(y)), _mm_andnot_si128(low(x), low(y)))),
      PROVE_SAMPLE(both(_mm_shuffle_epi8(low(x), low(y)), high(x))),
      PROVE_SAMPLE(both(_mm_srai_epi32(low(x), 31), _mm_srli_epi32(high(x), 5))),
      PROVE_SAMPLE(both(_mm_slli_si128(low(x), 4), _mm_unpacklo_epi64(low(x), high(y)))),
      PROVE_SAMPLE(both(_mm_setr_epi32(1, -2, 3, 4), _mm_shuffle_epi32(low(x), 0x13))),
      PROVE_SAMPLE(both(_mm_set1_epi32(-3), _mm_cvtsi32_si128(-70000))),
      PROVE_SAMPLE(both(_mm_clmulepi64_si128(low(x), low(y), 0x00), high(x))),
      PROVE_SAMPLE(both(_mm_clmulepi64_si128(low(x), low(y), 0x01), high(x))),
      PROVE_SAMPLE(both(_mm_clmulepi64_si128(low(x), low(y), 0x10), high(x))),
      PROVE_SAMPLE(both(_mm_clmulepi64_si128(low(x), low(y), 0x11), high(x))),
  };
  return sample_of(samples, number, a, b, result);
}
/// AES-NI.
[[maybe_unused]] bool sample_aes(unsigned number, const void* a, const void* b, void* result) {
  static constexpr Sample256 samples[] = {
      PROVE_SAMPLE(both(_mm_aesenc_si128(low(x), low(y)), _mm_aesenclast_si128(high(x), high(y)))),
      PROVE_SAMPLE(both(_mm_aesdec_si128(low(x), low(y)), _mm_aesdeclast_si128(high(x), high(y)))),
      PROVE_SAMPLE(both(_mm_aesimc_si128(low(x)), _mm_aesimc_si128(high(y)))),
  };
  return sample_of(samples, number, a, b, result);
}
/// VAES and VPCLMULQDQ of 256 bits.
[[maybe_unused]] bool sample_vaes(unsigned number, const void* a, const void* b, void* result) {
  static constexpr Sample256 samples[] = {
      PROVE_SAMPLE(_mm256_aesenc_epi128(x, y)),           PROVE_SAMPLE(_mm256_aesenclast_epi128(x, y)),
      PROVE_SAMPLE(_mm256_aesdec_epi128(x, y)),           PROVE_SAMPLE(_mm256_aesdeclast_epi128(x, y)),
      PROVE_SAMPLE(_mm256_clmulepi64_epi128(x, y, 0x00)), PROVE_SAMPLE(_mm256_clmulepi64_epi128(x, y, 0x01)),
      PROVE_SAMPLE(_mm256_clmulepi64_epi128(x, y, 0x10)), PROVE_SAMPLE(_mm256_clmulepi64_epi128(x, y, 0x11)),
  };
  return sample_of(samples, number, a, b, result);
}
#undef PROVE_SAMPLE

#ifdef PROVE_SAMPLES_AVX512
using Sample512 = __m512i (*)(const __m512i& x, const __m512i& y);
#define PROVE_SAMPLE(expression) \
  [](const __m512i& x, const __m512i& y) { return static_cast<void>(x), static_cast<void>(y), expression; }
constexpr unsigned long sample_mask = 0x9a3c5f0011e87742;

/// AVX-512 F, BW, VL and VBMI, GFNI, VAES and VPCLMULQDQ: operands of 64 bytes made of two of 32, and half of the result.
[[maybe_unused]] bool sample_avx512(unsigned number, const void* a, const void* b, void* result) {
  static constexpr Sample512 samples[] = {
      PROVE_SAMPLE(_mm512_xor_si512(x, y)),
      PROVE_SAMPLE(_mm512_and_si512(x, y)),
      PROVE_SAMPLE(_mm512_or_si512(x, y)),
      PROVE_SAMPLE(_mm512_andnot_si512(x, y)),
      PROVE_SAMPLE(_mm512_add_epi64(x, y)),
      PROVE_SAMPLE(_mm512_add_epi32(x, y)),
      PROVE_SAMPLE(_mm512_sub_epi64(x, y)),
      PROVE_SAMPLE(_mm512_ternarylogic_epi64(x, y, _mm512_slli_epi32(x, 1), 0xca)),
      PROVE_SAMPLE(_mm512_ternarylogic_epi64(x, y, _mm512_slli_epi32(x, 1), 0x2d)),
      PROVE_SAMPLE(_mm512_slli_epi32(x, 3)),
      PROVE_SAMPLE(_mm512_srli_epi32(x, 7)),
      PROVE_SAMPLE(_mm512_sllv_epi64(x, _mm512_and_si512(y, _mm512_set1_epi64(127)))),
      PROVE_SAMPLE(_mm512_srlv_epi64(x, _mm512_and_si512(y, _mm512_set1_epi64(127)))),
      PROVE_SAMPLE(_mm512_rol_epi32(x, 11)),
      PROVE_SAMPLE(_mm512_rolv_epi32(x, y)),
      PROVE_SAMPLE(_mm512_shuffle_epi32(x, _MM_PERM_BADC)),
      PROVE_SAMPLE(_mm512_maskz_shuffle_epi32(0xcccc, x, _MM_PERM_CDAB)),
      PROVE_SAMPLE(_mm512_shuffle_epi8(x, y)),
      PROVE_SAMPLE(_mm512_mask_shuffle_epi8(x, sample_mask, x, y)),
      PROVE_SAMPLE(_mm512_permutexvar_epi8(x, y)),
      PROVE_SAMPLE(_mm512_mask_permutexvar_epi8(x, sample_mask, x, y)),
      PROVE_SAMPLE(_mm512_maskz_permutexvar_epi8(sample_mask, x, y)),
      PROVE_SAMPLE(_mm512_mask_blend_epi8(sample_mask, x, y)),
      PROVE_SAMPLE(_mm512_movm_epi8(_mm512_movepi8_mask(x))),
      PROVE_SAMPLE(_mm512_gf2p8affine_epi64_epi8(x, y, 0)),
      PROVE_SAMPLE(_mm512_bslli_epi128(x, 3)),
      PROVE_SAMPLE(_mm512_bsrli_epi128(x, 15)),
      PROVE_SAMPLE(_mm512_shuffle_i64x2(x, y, 0x9e)),
      PROVE_SAMPLE(_mm512_alignr_epi64(x, y, 2)),
      PROVE_SAMPLE(_mm512_unpacklo_epi32(x, y)),
      PROVE_SAMPLE(_mm512_unpackhi_epi32(x, y)),
      PROVE_SAMPLE(_mm512_unpacklo_epi64(x, y)),
      PROVE_SAMPLE(_mm512_unpackhi_epi64(x, y)),
      PROVE_SAMPLE(_mm512_inserti64x4(x, _mm512_castsi512_si256(y), 1)),
      PROVE_SAMPLE(_mm512_cvtepu8_epi64(_mm512_castsi512_si128(x))),
      PROVE_SAMPLE(_mm512_broadcast_i32x4(_mm512_castsi512_si128(x))),
      PROVE_SAMPLE(_mm512_broadcast_i64x4(_mm512_extracti64x4_epi64(x, 1))),
      PROVE_SAMPLE(_mm512_zextsi128_si512(_mm512_castsi512_si128(x))),
      PROVE_SAMPLE(_mm512_mask_set1_epi64(x, 0xaa, -5)),
      PROVE_SAMPLE(_mm512_setr_epi64(1, -2, 3, 4, 5, -6, 7, 8)),
      PROVE_SAMPLE(_mm512_clmulepi64_epi128(x, y, 0x01)),
      PROVE_SAMPLE(_mm512_clmulepi64_epi128(x, y, 0x10)),
      PROVE_SAMPLE(_mm512_aesenc_epi128(x, y)),
      PROVE_SAMPLE(_mm512_aesenclast_epi128(x, y)),
      PROVE_SAMPLE(_mm512_aesdec_epi128(x, y)),
      PROVE_SAMPLE(_mm512_aesdeclast_epi128(x, y)),
  };
  if (number / 2 >= sizeof samples / sizeof *samples) return false;
  const __m512i x = _mm512_inserti64x4(_mm512_castsi256_si512(loaded(a)), loaded(b), 1);
  const __m512i y = _mm512_inserti64x4(_mm512_castsi256_si512(loaded(b)), loaded(a), 1);
  const __m512i r = samples[number / 2](x, y);
  _mm256_storeu_si256(static_cast<__m256i*>(result),
                      number % 2 == 0 ? _mm512_castsi512_si256(r) : _mm512_extracti64x4_epi64(r, 1));
  return true;
}
#undef PROVE_SAMPLE
#endif

}  // namespace
}  // namespace prove
