// The 128-bit vector of AES-NI and PCLMULQDQ: one block. Kernels of AVX-512 use it for single blocks, so the tests'
// emulation defines the same names in plain C++ (tests/emulation/aesni_emulation.hpp).
#pragma once

#include <immintrin.h>

#include "engine/lanes/lane_word.hpp"

namespace phalanx {
namespace {

struct Word256;

/// This word holds 16 bytes of a message.
struct Word128 {
  __m128i bits;

  static PHALANX_INLINE Word128 load(const void* p) { return {_mm_loadu_si128(static_cast<const __m128i*>(p))}; }
  PHALANX_INLINE void store(void* p) const { _mm_storeu_si128(static_cast<__m128i*>(p), bits); }
  /// All 16 bytes or none: zeros, or not written.
  static PHALANX_INLINE Word128 load_first(const void* p, std::size_t num_bytes) {
    return num_bytes != 0 ? load(p) : zero();
  }
  PHALANX_INLINE void store_first(void* p, std::size_t num_bytes) const {
    if (num_bytes != 0) store(p);
  }
  static PHALANX_INLINE Word128 zero() { return {_mm_setzero_si128()}; }
  static PHALANX_INLINE Word128 broadcast32(std::uint32_t x) { return {_mm_set1_epi32(static_cast<int>(x))}; }
  static PHALANX_INLINE Word128 broadcast128(const void* p) { return load(p); }
  /// Makes the number high:low, little-endian.
  static PHALANX_INLINE Word128 from_halves(std::uint64_t high, std::uint64_t low) {
    return {_mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low))};
  }
  PHALANX_INLINE std::uint32_t first32() const { return static_cast<std::uint32_t>(_mm_cvtsi128_si32(bits)); }
  PHALANX_INLINE std::uint64_t first64() const { return static_cast<std::uint64_t>(_mm_cvtsi128_si64(bits)); }

  static PHALANX_INLINE Word128 numbers128(std::uint64_t high, std::uint64_t low) { return from_halves(high, low); }
  friend PHALANX_INLINE Word128 add_low64(Word128 v, std::uint64_t n) {
    return {_mm_add_epi64(v.bits, _mm_set_epi64x(0, static_cast<long long>(n)))};
  }
  using TweakVector = Word256;                                                  ///< word_avx2.hpp
  friend PHALANX_INLINE Word128 next_tweaks(Word128 t) {                        // times alpha
    const __m128i signs = _mm_shuffle_epi32(_mm_srai_epi32(t.bits, 31), 0x13);  // the bits that leave each half: all ones
    const __m128i carry = _mm_and_si128(signs, _mm_setr_epi32(0x87, 0, 1, 0));
    return {_mm_xor_si128(_mm_add_epi64(t.bits, t.bits), carry)};
  }

  friend PHALANX_INLINE Word128 operator^(Word128 a, Word128 b) { return {_mm_xor_si128(a.bits, b.bits)}; }
  friend PHALANX_INLINE Word128 operator&(Word128 a, Word128 b) { return {_mm_and_si128(a.bits, b.bits)}; }
  friend PHALANX_INLINE Word128 operator|(Word128 a, Word128 b) { return {_mm_or_si128(a.bits, b.bits)}; }
  /// a & ~b
  friend PHALANX_INLINE Word128 and_not(Word128 a, Word128 b) { return {_mm_andnot_si128(b.bits, a.bits)}; }
  /// Byte i becomes byte (index i mod 16); 0 where the index has bit 7 set.
  friend PHALANX_INLINE Word128 shuffle_bytes(Word128 v, Word128 index) { return {_mm_shuffle_epi8(v.bits, index.bits)}; }
  /// Puts the low halves of a and of b together.
  friend PHALANX_INLINE Word128 unpack_low64(Word128 a, Word128 b) { return {_mm_unpacklo_epi64(a.bits, b.bits)}; }
  friend PHALANX_INLINE Word128 swap_halves(Word128 a) { return {_mm_shuffle_epi32(a.bits, 0x4e)}; }
  friend PHALANX_INLINE Word128 reverse_bytes128(Word128 a) {
    return {_mm_shuffle_epi8(a.bits, _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))};
  }

  /// These are AESENC, AESENCLAST, AESDEC, AESDECLAST and AESIMC.
  friend PHALANX_INLINE Word128 aes_encrypt_round(Word128 v, Word128 key) { return {_mm_aesenc_si128(v.bits, key.bits)}; }
  friend PHALANX_INLINE Word128 aes_encrypt_last(Word128 v, Word128 key) { return {_mm_aesenclast_si128(v.bits, key.bits)}; }
  friend PHALANX_INLINE Word128 aes_decrypt_round(Word128 v, Word128 key) { return {_mm_aesdec_si128(v.bits, key.bits)}; }
  friend PHALANX_INLINE Word128 aes_decrypt_last(Word128 v, Word128 key) { return {_mm_aesdeclast_si128(v.bits, key.bits)}; }
  friend PHALANX_INLINE Word128 aes_inverse_mix_columns(Word128 v) { return {_mm_aesimc_si128(v.bits)}; }
};

/// Shifted left by whole bytes, zeros coming in.
template <int num_bytes>
PHALANX_INLINE Word128 shift_left_bytes128(Word128 a) {
  return {_mm_slli_si128(a.bits, num_bytes)};
}
template <int count>
PHALANX_INLINE Word128 shift_right32(Word128 a) {
  return {_mm_srli_epi32(a.bits, count)};
}
/// Carry-less product of one 64-bit half of a (bit 0 of `halves`: which) and of b (bit 4).
template <int halves>
PHALANX_INLINE Word128 carryless_multiply(Word128 a, Word128 b) {
  return {_mm_clmulepi64_si128(a.bits, b.bits, halves)};
}

}  // namespace
}  // namespace phalanx
