// The instructions of recorded_instructions.hpp that a machine with AVX2 and PCLMULQDQ has, as functions of two operands:
// included twice, with the compiler's immintrin.h and with the recorded one in its place.
#pragma once

#include <immintrin.h>

#include "outside_cores/instruction_check.hpp"

namespace prove {
namespace {

__m256i both(const __m128i& low, const __m128i& high) { return _mm256_set_m128i(high, low); }
__m256i loaded(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
__m128i low(const __m256i& a) { return _mm256_castsi256_si128(a); }
__m128i high(const __m256i& a) { return _mm256_extracti128_si256(a, 1); }

template <class Instruction>
void apply(const void* a, const void* b, void* result, Instruction instruction) {
  _mm256_storeu_si256(static_cast<__m256i*>(result), instruction(loaded(a), loaded(b)));
}

/// Instruction `number` on 32 bytes each; false if there are fewer.
bool sample(unsigned number, const void* a, const void* b, void* result) {
  switch (number) {
    case 0:
      return apply(a, b, result, [](auto x, auto y) { return _mm256_xor_si256(x, y); }), true;
    case 1:
      return apply(a, b, result, [](auto x, auto y) { return _mm256_and_si256(x, y); }), true;
    case 2:
      return apply(a, b, result, [](auto x, auto y) { return _mm256_or_si256(x, y); }), true;
    case 3:
      return apply(a, b, result, [](auto x, auto y) { return _mm256_add_epi64(x, y); }), true;
    case 4:
      return apply(a, b, result, [](auto x, auto) { return _mm256_slli_epi64(x, 2); }), true;
    case 5:
      return apply(a, b, result, [](auto x, auto) { return _mm256_srli_epi64(x, 62); }), true;
    case 6:
      return apply(a, b, result, [](auto x, auto) { return _mm256_shuffle_epi32(x, 0x4e); }), true;
    case 7:
      return apply(a, b, result, [](auto x, auto) { return _mm256_shuffle_epi32(x, 0x13); }), true;
    case 8:
      return apply(a, b, result, [](auto x, auto y) { return _mm256_shuffle_epi8(x, y); }), true;
    case 9:
      return apply(a, b, result, [](auto x, auto) { return _mm256_slli_si256(x, 2); }), true;
    case 10:
      return apply(a, b, result, [](auto x, auto) { return _mm256_srli_si256(x, 14); }), true;
    case 11:
      return apply(a, b, result, [](auto x, auto) { return _mm256_broadcastsi128_si256(low(x)); }), true;
    case 12:
      return apply(a, b, result, [](auto x, auto y) { return both(_mm_add_epi64(low(x), low(y)), high(x)); }), true;
    case 13:
      return apply(a, b, result, [](auto x, auto y) { return both(_mm_shuffle_epi8(low(x), low(y)), high(x)); }), true;
    case 14:
      return apply(a, b, result, [](auto x, auto) { return both(_mm_srai_epi32(low(x), 31), high(x)); }), true;
    case 15:
      return apply(a, b, result, [](auto x, auto y) { return both(_mm_clmulepi64_si128(low(x), low(y), 0x00), high(x)); }),
             true;
    case 16:
      return apply(a, b, result, [](auto x, auto y) { return both(_mm_clmulepi64_si128(low(x), low(y), 0x01), high(x)); }),
             true;
    case 17:
      return apply(a, b, result, [](auto x, auto y) { return both(_mm_clmulepi64_si128(low(x), low(y), 0x10), high(x)); }),
             true;
    case 18:
      return apply(a, b, result, [](auto x, auto y) { return both(_mm_clmulepi64_si128(low(x), low(y), 0x11), high(x)); }),
             true;
    case 19:
      return apply(a, b, result, [](auto x, auto) { return _mm256_zextsi128_si256(low(x)); }), true;
    case 20:
      return apply(a, b, result, [](auto, auto) { return _mm256_setr_epi64x(1, 2, 3, -4); }), true;
    case 21:
      return apply(a, b, result,
                   [](auto x, auto) { return both(_mm_setr_epi32(1, -2, 3, 4), _mm_shuffle_epi32(low(x), 0x13)); }),
             true;
    default:
      return false;
  }
}
/// The same of VPCLMULQDQ.
bool sample_vpclmulqdq(unsigned number, const void* a, const void* b, void* result) {
  switch (number) {
    case 0:
      return apply(a, b, result, [](auto x, auto y) { return _mm256_clmulepi64_epi128(x, y, 0x00); }), true;
    case 1:
      return apply(a, b, result, [](auto x, auto y) { return _mm256_clmulepi64_epi128(x, y, 0x01); }), true;
    case 2:
      return apply(a, b, result, [](auto x, auto y) { return _mm256_clmulepi64_epi128(x, y, 0x10); }), true;
    case 3:
      return apply(a, b, result, [](auto x, auto y) { return _mm256_clmulepi64_epi128(x, y, 0x11); }), true;
    default:
      return false;
  }
}

}  // namespace
}  // namespace prove
