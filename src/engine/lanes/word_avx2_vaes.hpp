// VAES and VPCLMULQDQ add operations on two blocks at once to the word of AVX2.
//
// Tests compile the same kernels over tests/emulation/vaes_emulation.hpp, which has the same names by the instructions
// for one block: every machine with AVX2 tests them.
#pragma once

#include "engine/lanes/word_avx2.hpp"

#ifdef PHALANX_EMULATE_VAES
#include "vaes_emulation.hpp"
#else

namespace phalanx {
namespace {

/// AESENC, AESENCLAST, AESDEC, AESDECLAST on two blocks.
PHALANX_INLINE Word256 aes_encrypt_round(Word256 v, Word256 key) { return {_mm256_aesenc_epi128(v.bits, key.bits)}; }
PHALANX_INLINE Word256 aes_encrypt_last(Word256 v, Word256 key) { return {_mm256_aesenclast_epi128(v.bits, key.bits)}; }
PHALANX_INLINE Word256 aes_decrypt_round(Word256 v, Word256 key) { return {_mm256_aesdec_epi128(v.bits, key.bits)}; }
PHALANX_INLINE Word256 aes_decrypt_last(Word256 v, Word256 key) { return {_mm256_aesdeclast_epi128(v.bits, key.bits)}; }

/// Carry-less product of one 64-bit half of each 128-bit element of a (bit 0 of `halves`: which) and of b (bit 4).
template <int halves>
PHALANX_INLINE Word256 carryless_multiply(Word256 a, Word256 b) {
  return {_mm256_clmulepi64_epi128(a.bits, b.bits, halves)};
}

}  // namespace
}  // namespace phalanx

#endif  // PHALANX_EMULATE_VAES

namespace phalanx {
namespace {

/// The tweaks that stand far_tweak_step vectors after these: times alpha^16. x^128 = x^7 + x^2 + x + 1, which is 0x87.
/// Shifts by bits would take a port of the rounds.
PHALANX_INLINE Word256 far_tweaks(Word256 t) {
  const Word256 reduced = carryless_multiply<0x00>(shift_right_bytes128<14>(t), Word256::broadcast64(0x87));
  return shift_left_bytes128<2>(t) ^ reduced;
}

}  // namespace
}  // namespace phalanx
