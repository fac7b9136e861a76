// In place of immintrin.h where shipped vectors are recorded (lanes/word_*.hpp): the instructions that those claims reach, by
// their definitions in the Intel SDM volume 2 (recorded_register.hpp). `record_claims check` compares those that a machine
// with AVX2 has with its own.
//
// An unknown number has no value that fits into the machine's int or long long, by which such a number becomes a vector: a
// number that stands for it goes there (stand_in).
#pragma once

#include "outside_cores/recorded_aes_instructions.hpp"
#include "outside_cores/recorded_register.hpp"

using __m128i = prove::Register<16>;
using __m256i = prove::Register<32>;
using __m512i = prove::Register<64>;
using __mmask8 = unsigned char;
using __mmask32 = prove::RecordedInteger<std::uint32_t>;
using __mmask64 = prove::RecordedInteger<std::uint64_t>;
enum { _MM_PERM_BADC = 0x4e, _MM_PERM_CDAB = 0xb1, _MM_PERM_CCAA = 0xa0 };
#define __asm__(...)  // word_avx2.hpp: an empty statement, which hides where a value comes from

// 128 bits
inline __m128i _mm_loadu_si128(const __m128i* p) { return __m128i::load(p); }
inline void _mm_storeu_si128(__m128i* p, const __m128i& a) { prove::copy_memory(p, a.byte, 16); }
inline __m128i _mm_setzero_si128() { return prove::of_numbers<16>(64, 0, 0); }
inline __m128i _mm_set_epi64x(long long high, long long low) { return prove::of_numbers<16>(64, low, high); }
inline __m128i _mm_setr_epi32(int a, int b, int c, int d) { return prove::of_numbers<16>(32, a, b, c, d); }
template <class... Number>
__m128i _mm_setr_epi8(Number... numbers) {
  return prove::of_numbers<16>(8, numbers...);
}
inline __m128i _mm_xor_si128(const __m128i& a, const __m128i& b) { return prove::xor_registers(a, b); }
inline __m128i _mm_and_si128(const __m128i& a, const __m128i& b) { return prove::and_registers(a, b); }
inline __m128i _mm_add_epi64(const __m128i& a, const __m128i& b) { return prove::add_elements<64>(a, b); }
inline __m128i _mm_shuffle_epi32(const __m128i& a, int order) { return prove::shuffle32(a, static_cast<unsigned>(order)); }
inline __m128i _mm_shuffle_epi8(const __m128i& a, const __m128i& index) { return prove::shuffle8(a, index); }
inline __m128i _mm_srai_epi32(const __m128i& a, int count) {
  return prove::of_elements<16, 32>([&](std::size_t i) {
    const prove::Signals bits = prove::element<32>(a, i);
    return prove::shift_by_constant(bits, static_cast<unsigned>(count), false, bits[31]);
  });
}
inline __m128i _mm_clmulepi64_si128(const __m128i& a, const __m128i& b, int halves) {
  return prove::carryless_product(a, b, halves);
}
inline __m128i _mm_or_si128(const __m128i& a, const __m128i& b) { return prove::or_registers(a, b); }
inline __m128i _mm_andnot_si128(const __m128i& a, const __m128i& b) { return prove::and_not_registers(b, a); }
inline __m128i _mm_set1_epi32(int x) { return prove::repeated<16>(prove::signals_of(x)); }
inline __m128i _mm_cvtsi32_si128(int x) {
  prove::Signals bits = prove::signals_of(x);
  bits.resize(128, prove::zero);
  return __m128i::of(bits);
}
inline prove::RecordedInteger<std::int32_t> _mm_cvtsi128_si32(const __m128i& a) {
  return prove::RecordedInteger<std::int32_t>::of(prove::element<32>(a, 0));
}
inline prove::RecordedInteger<std::int64_t> _mm_cvtsi128_si64(const __m128i& a) {
  return prove::RecordedInteger<std::int64_t>::of(prove::element<64>(a, 0));
}
inline __m128i _mm_loadl_epi64(const __m128i* p) {
  prove::Signals bits = prove::read_memory(p, 8);
  bits.resize(128, prove::zero);
  return __m128i::of(bits);
}
inline __m128i _mm_slli_si128(const __m128i& a, int count) { return prove::shift_bytes(a, count, true); }
inline __m128i _mm_srli_epi32(const __m128i& a, int count) {
  return prove::shift_elements<32>(a, static_cast<unsigned>(count), false);
}
inline __m128i _mm_unpacklo_epi64(const __m128i& a, const __m128i& b) { return prove::unpack<64>(a, b, false); }
inline __m128i _mm_aesenc_si128(const __m128i& a, const __m128i& key) { return prove::aes_encrypted(a, key); }
inline __m128i _mm_aesenclast_si128(const __m128i& a, const __m128i& key) { return prove::aes_encrypted_last(a, key); }
inline __m128i _mm_aesdec_si128(const __m128i& a, const __m128i& key) { return prove::aes_decrypted(a, key); }
inline __m128i _mm_aesdeclast_si128(const __m128i& a, const __m128i& key) { return prove::aes_decrypted_last(a, key); }
inline __m128i _mm_aesimc_si128(const __m128i& a) { return prove::aes_inverse_mixed(a); }

// 256 bits
inline __m256i _mm256_loadu_si256(const __m256i* p) { return __m256i::load(p); }
inline void _mm256_storeu_si256(__m256i* p, const __m256i& a) { prove::copy_memory(p, a.byte, 32); }
/// Known masks: the elements whose top bit is set.
inline __m256i _mm256_maskload_epi64(const long long* p, const __m256i& mask) {
  return prove::of_elements<32, 64>([&](std::size_t i) {
    const bool there = prove::element<64>(mask, i)[63] == prove::one;
    return there ? prove::read_memory(p + i, 8) : prove::Signals(64, prove::zero);
  });
}
inline __m256i _mm256_setzero_si256() { return prove::of_numbers<32>(64, 0, 0, 0, 0); }
inline __m256i _mm256_set1_epi64x(long long x) { return prove::repeated<32>(prove::signals_of(x)); }
inline __m256i _mm256_setr_epi64x(long long a, long long b, long long c, long long d) {
  return prove::of_numbers<32>(64, a, b, c, d);
}
template <class... Number>
__m256i _mm256_setr_epi8(Number... numbers) {
  return prove::of_numbers<32>(8, numbers...);
}
inline __m256i _mm256_set_m128i(const __m128i& high, const __m128i& low) {
  return prove::of_elements<32, 128>([&](std::size_t i) { return (i == 0 ? low : high).bits(); });
}
inline __m256i _mm256_broadcastsi128_si256(const __m128i& a) { return prove::repeated<32>(a.bits()); }
inline __m256i _mm256_zextsi128_si256(const __m128i& a) { return prove::resized<32>(a); }
inline __m128i _mm256_castsi256_si128(const __m256i& a) { return prove::resized<16>(a); }
inline __m128i _mm256_extracti128_si256(const __m256i& a, int which) { return __m128i::load(a.byte + 16 * which); }
inline __m256i _mm256_xor_si256(const __m256i& a, const __m256i& b) { return prove::xor_registers(a, b); }
inline __m256i _mm256_and_si256(const __m256i& a, const __m256i& b) { return prove::and_registers(a, b); }
inline __m256i _mm256_or_si256(const __m256i& a, const __m256i& b) { return prove::or_registers(a, b); }
inline __m256i _mm256_add_epi64(const __m256i& a, const __m256i& b) { return prove::add_elements<64>(a, b); }
inline __m256i _mm256_slli_epi64(const __m256i& a, int count) {
  return prove::shift_elements<64>(a, static_cast<unsigned>(count), true);
}
inline __m256i _mm256_srli_epi64(const __m256i& a, int count) {
  return prove::shift_elements<64>(a, static_cast<unsigned>(count), false);
}
inline __m256i _mm256_shuffle_epi32(const __m256i& a, int order) {
  return prove::shuffle32(a, static_cast<unsigned>(order));
}
inline __m256i _mm256_shuffle_epi8(const __m256i& a, const __m256i& index) { return prove::shuffle8(a, index); }
inline __m256i _mm256_slli_si256(const __m256i& a, int count) { return prove::shift_bytes(a, count, true); }
inline __m256i _mm256_srli_si256(const __m256i& a, int count) { return prove::shift_bytes(a, count, false); }
inline __m256i _mm256_clmulepi64_epi128(const __m256i& a, const __m256i& b, int halves) {
  return prove::carryless_product(a, b, halves);
}
inline __m256i _mm256_cmpgt_epi64(const __m256i& a, const __m256i& b) {
  return prove::of_elements<32, 64>([&](std::size_t i) {
    return prove::Signals(64, prove::is_greater(prove::element<64>(a, i), prove::element<64>(b, i)));
  });
}
inline __m256i _mm256_andnot_si256(const __m256i& a, const __m256i& b) { return prove::and_not_registers(b, a); }
inline __m256i _mm256_set1_epi32(int x) { return prove::repeated<32>(prove::signals_of(x)); }
inline __m256i _mm256_set1_epi8(char x) { return prove::repeated<32>(prove::signals_of(static_cast<std::uint64_t>(x), 8)); }
inline __m256i _mm256_add_epi32(const __m256i& a, const __m256i& b) { return prove::add_elements<32>(a, b); }
inline __m256i _mm256_sub_epi32(const __m256i& a, const __m256i& b) { return prove::subtract_elements<32>(a, b); }
inline __m256i _mm256_subs_epi8(const __m256i& a, const __m256i& b) {
  return prove::of_elements<32, 8>(
      [&](std::size_t i) { return prove::subtracted_saturated8(prove::element<8>(a, i), prove::element<8>(b, i)); });
}
inline __m256i _mm256_slli_epi32(const __m256i& a, int count) {
  return prove::shift_elements<32>(a, static_cast<unsigned>(count), true);
}
inline __m256i _mm256_srli_epi32(const __m256i& a, int count) {
  return prove::shift_elements<32>(a, static_cast<unsigned>(count), false);
}
inline __m256i _mm256_sllv_epi32(const __m256i& a, const __m256i& counts) { return prove::shift_each<32>(a, counts, true); }
inline __m256i _mm256_srlv_epi32(const __m256i& a, const __m256i& counts) { return prove::shift_each<32>(a, counts, false); }
inline __m256i _mm256_sllv_epi64(const __m256i& a, const __m256i& counts) { return prove::shift_each<64>(a, counts, true); }
inline __m256i _mm256_srlv_epi64(const __m256i& a, const __m256i& counts) { return prove::shift_each<64>(a, counts, false); }
inline __m256i _mm256_blend_epi32(const __m256i& a, const __m256i& b, int mask) {
  return prove::blend<32>(a, b, [mask](std::size_t i) { return static_cast<prove::Literal>(mask >> i & 1); });
}
inline __m256i _mm256_blendv_epi8(const __m256i& a, const __m256i& b, const __m256i& which) {
  return prove::blend<8>(a, b, [&](std::size_t i) { return prove::element<8>(which, i)[7]; });
}
inline __m256i _mm256_cvtepu8_epi64(const __m128i& a) { return prove::widen8_to_64<32>(a); }
inline __m256i _mm256_inserti128_si256(const __m256i& a, const __m128i& b, int which) {
  return prove::of_elements<32, 128>(
      [&](std::size_t i) { return static_cast<int>(i) == which ? b.bits() : prove::element<128>(a, i); });
}
/// Known masks: the elements whose top bit is set.
inline void _mm256_maskstore_epi64(long long* p, const __m256i& mask, const __m256i& a) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (prove::element<64>(mask, i)[63] == prove::one) prove::write_memory(p + i, prove::element<64>(a, i));
  }
}
inline __m256i _mm256_permute2x128_si256(const __m256i& a, const __m256i& b, int order) {
  return prove::of_elements<32, 128>([&](std::size_t i) {
    const auto which = static_cast<unsigned>(order) >> 4 * i;
    return (which & 8) != 0 ? prove::Signals(128, prove::zero) : prove::element128_of(a, b, which);
  });
}
inline __m256i _mm256_permutevar8x32_epi32(const __m256i& a, const __m256i& index) { return prove::permute32(a, index); }
inline __m256i _mm256_unpacklo_epi8(const __m256i& a, const __m256i& b) { return prove::unpack<8>(a, b, false); }
inline __m256i _mm256_unpackhi_epi8(const __m256i& a, const __m256i& b) { return prove::unpack<8>(a, b, true); }
inline __m256i _mm256_unpacklo_epi16(const __m256i& a, const __m256i& b) { return prove::unpack<16>(a, b, false); }
inline __m256i _mm256_unpackhi_epi16(const __m256i& a, const __m256i& b) { return prove::unpack<16>(a, b, true); }
inline __m256i _mm256_unpacklo_epi32(const __m256i& a, const __m256i& b) { return prove::unpack<32>(a, b, false); }
inline __m256i _mm256_unpackhi_epi32(const __m256i& a, const __m256i& b) { return prove::unpack<32>(a, b, true); }
inline __m256i _mm256_unpacklo_epi64(const __m256i& a, const __m256i& b) { return prove::unpack<64>(a, b, false); }
inline __m256i _mm256_unpackhi_epi64(const __m256i& a, const __m256i& b) { return prove::unpack<64>(a, b, true); }
inline __m256i _mm256_aesenc_epi128(const __m256i& a, const __m256i& key) { return prove::aes_encrypted(a, key); }
inline __m256i _mm256_aesenclast_epi128(const __m256i& a, const __m256i& key) { return prove::aes_encrypted_last(a, key); }
inline __m256i _mm256_aesdec_epi128(const __m256i& a, const __m256i& key) { return prove::aes_decrypted(a, key); }
inline __m256i _mm256_aesdeclast_epi128(const __m256i& a, const __m256i& key) { return prove::aes_decrypted_last(a, key); }
// ... of AVX-512VL
inline prove::Literal bit_of(const __mmask32& mask, std::size_t i) { return mask.bits()[i]; }
inline prove::Literal bit_of(const __mmask64& mask, std::size_t i) { return mask.bits()[i]; }
inline __m256i _mm256_mask_blend_epi8(const __mmask32& mask, const __m256i& a, const __m256i& b) {
  return prove::blend<8>(a, b, [&](std::size_t i) { return bit_of(mask, i); });
}
inline __m256i _mm256_mask_shuffle_epi8(const __m256i& otherwise, const __mmask32& mask, const __m256i& a,
                                        const __m256i& index) {
  return _mm256_mask_blend_epi8(mask, otherwise, prove::shuffle8(a, index));
}
/// Known masks.
inline __m256i _mm256_maskz_loadu_epi8(const __mmask32& mask, const void* p) {
  return prove::of_elements<32, 8>([&](std::size_t i) {
    return (mask.known() >> i & 1) != 0 ? prove::read_memory(static_cast<const std::uint8_t*>(p) + i, 1)
                                        : prove::Signals(8, prove::zero);
  });
}
inline void _mm256_mask_storeu_epi8(void* p, const __mmask32& mask, const __m256i& a) {
  for (std::size_t i = 0; i < 32; ++i) {
    if ((mask.known() >> i & 1) != 0) prove::copy_memory(static_cast<std::uint8_t*>(p) + i, a.byte + i, 1);
  }
}
inline __m256i _mm256_gf2p8affine_epi64_epi8(const __m256i& a, const __m256i& matrix, int /*addend 0*/) {
  return prove::affine_bytes(a, matrix);
}
inline __m256i _mm256_ternarylogic_epi64(const __m256i& a, const __m256i& b, const __m256i& c, int table) {
  return prove::look_up_bits(a, b, c, table);
}
inline __m256i _mm256_rol_epi32(const __m256i& a, int count) {
  return prove::of_elements<32, 32>([&](std::size_t i) {
    return prove::rotated_by(prove::element<32>(a, i), prove::signals_of(static_cast<std::uint64_t>(count), 32));
  });
}

// 512 bits
inline __m512i _mm512_loadu_si512(const void* p) { return __m512i::load(p); }
inline void _mm512_storeu_si512(void* p, const __m512i& a) { prove::copy_memory(p, a.byte, 64); }
inline __m512i _mm512_maskz_loadu_epi64(__mmask8 mask, const void* p) {
  return prove::of_elements<64, 64>([&](std::size_t i) {
    return (mask >> i & 1) != 0 ? prove::read_memory(static_cast<const std::uint8_t*>(p) + 8 * i, 8)
                                : prove::Signals(64, prove::zero);
  });
}
inline __m512i _mm512_maskz_loadu_epi8(std::uint64_t mask, const void* p) {
  return prove::of_elements<64, 8>([&](std::size_t i) {
    return (mask >> i & 1) != 0 ? prove::read_memory(static_cast<const std::uint8_t*>(p) + i, 1)
                                : prove::Signals(8, prove::zero);
  });
}
inline __m512i _mm512_setzero_si512() { return prove::repeated<64>(prove::signals_of(0LL)); }
inline __m512i _mm512_set1_epi64(long long x) { return prove::repeated<64>(prove::signals_of(x)); }
inline __m512i _mm512_mask_set1_epi64(const __m512i& a, __mmask8 mask, long long x) {
  return prove::of_elements<64, 64>(
      [&](std::size_t i) { return (mask >> i & 1) != 0 ? prove::signals_of(x) : prove::element<64>(a, i); });
}
template <class... Number>
__m512i _mm512_setr_epi64(Number... numbers) {
  return prove::of_numbers<64>(64, numbers...);
}
inline __m512i _mm512_broadcast_i32x4(const __m128i& a) { return prove::repeated<64>(a.bits()); }
inline __m512i _mm512_broadcast_i64x4(const __m256i& a) { return prove::repeated<64>(a.bits()); }
inline __m512i _mm512_zextsi128_si512(const __m128i& a) { return prove::resized<64>(a); }
inline __m128i _mm512_castsi512_si128(const __m512i& a) { return prove::resized<16>(a); }
inline __m256i _mm512_castsi512_si256(const __m512i& a) { return prove::resized<32>(a); }
inline __m256i _mm512_extracti64x4_epi64(const __m512i& a, int which) { return __m256i::load(a.byte + 32 * which); }
inline __m512i _mm512_xor_si512(const __m512i& a, const __m512i& b) { return prove::xor_registers(a, b); }
inline __m512i _mm512_and_si512(const __m512i& a, const __m512i& b) { return prove::and_registers(a, b); }
inline __m512i _mm512_or_si512(const __m512i& a, const __m512i& b) { return prove::or_registers(a, b); }
inline __m512i _mm512_add_epi64(const __m512i& a, const __m512i& b) { return prove::add_elements<64>(a, b); }
inline __m512i _mm512_sub_epi64(const __m512i& a, const __m512i& b) { return prove::subtract_elements<64>(a, b); }
inline __m512i _mm512_ternarylogic_epi64(const __m512i& a, const __m512i& b, const __m512i& c, int table) {
  return prove::look_up_bits(a, b, c, table);
}
inline __m512i _mm512_sllv_epi64(const __m512i& a, const __m512i& counts) { return prove::shift_each<64>(a, counts, true); }
inline __m512i _mm512_srlv_epi64(const __m512i& a, const __m512i& counts) { return prove::shift_each<64>(a, counts, false); }
inline __m512i _mm512_shuffle_epi32(const __m512i& a, int order) {
  return prove::shuffle32(a, static_cast<unsigned>(order));
}
inline __m512i _mm512_maskz_shuffle_epi32(unsigned mask, const __m512i& a, int order) {
  const __m512i shuffled = prove::shuffle32(a, static_cast<unsigned>(order));
  return prove::of_elements<64, 32>([&](std::size_t i) {
    return (mask >> i & 1) != 0 ? prove::element<32>(shuffled, i) : prove::Signals(32, prove::zero);
  });
}
inline __m512i _mm512_shuffle_epi8(const __m512i& a, const __m512i& index) { return prove::shuffle8(a, index); }
inline __m512i _mm512_bslli_epi128(const __m512i& a, int count) { return prove::shift_bytes(a, count, true); }
inline __m512i _mm512_bsrli_epi128(const __m512i& a, int count) { return prove::shift_bytes(a, count, false); }
inline __m512i _mm512_clmulepi64_epi128(const __m512i& a, const __m512i& b, int halves) {
  return prove::carryless_product(a, b, halves);
}
inline __m512i _mm512_andnot_si512(const __m512i& a, const __m512i& b) { return prove::and_not_registers(b, a); }
inline __m512i _mm512_set1_epi32(int x) { return prove::repeated<64>(prove::signals_of(x)); }
inline __m512i _mm512_set1_epi8(char x) { return prove::repeated<64>(prove::signals_of(static_cast<std::uint64_t>(x), 8)); }
inline __m512i _mm512_castsi256_si512(const __m256i& a) { return prove::resized<64>(a); }  // what is above is not said
inline __m512i _mm512_inserti64x4(const __m512i& a, const __m256i& b, int which) {
  return prove::of_elements<64, 256>(
      [&](std::size_t i) { return static_cast<int>(i) == which ? b.bits() : prove::element<256>(a, i); });
}
inline void _mm512_mask_storeu_epi64(void* p, __mmask8 mask, const __m512i& a) {
  for (std::size_t i = 0; i < 8; ++i) {
    if ((mask >> i & 1) != 0) prove::copy_memory(static_cast<std::uint8_t*>(p) + 8 * i, a.byte + 8 * i, 8);
  }
}
inline void _mm512_mask_storeu_epi8(void* p, std::uint64_t mask, const __m512i& a) {
  for (std::size_t i = 0; i < 64; ++i) {
    if ((mask >> i & 1) != 0) prove::copy_memory(static_cast<std::uint8_t*>(p) + i, a.byte + i, 1);
  }
}
inline __m512i _mm512_alignr_epi64(const __m512i& high, const __m512i& low, int count) {
  return prove::of_elements<64, 64>([&](std::size_t i) {
    const std::size_t from = i + static_cast<std::size_t>(count);
    return from < 8 ? prove::element<64>(low, from) : prove::element<64>(high, from - 8);
  });
}
inline __m512i _mm512_add_epi32(const __m512i& a, const __m512i& b) { return prove::add_elements<32>(a, b); }
inline __m512i _mm512_slli_epi32(const __m512i& a, int count) {
  return prove::shift_elements<32>(a, static_cast<unsigned>(count), true);
}
inline __m512i _mm512_srli_epi32(const __m512i& a, int count) {
  return prove::shift_elements<32>(a, static_cast<unsigned>(count), false);
}
inline __m512i _mm512_rolv_epi32(const __m512i& a, const __m512i& counts) {
  return prove::of_elements<64, 32>(
      [&](std::size_t i) { return prove::rotated_by(prove::element<32>(a, i), prove::element<32>(counts, i)); });
}
inline __m512i _mm512_rol_epi32(const __m512i& a, int count) { return _mm512_rolv_epi32(a, _mm512_set1_epi32(count)); }
inline __m512i _mm512_cvtepu8_epi64(const __m128i& a) { return prove::widen8_to_64<64>(a); }
inline __m512i _mm512_mask_blend_epi8(const __mmask64& mask, const __m512i& a, const __m512i& b) {
  return prove::blend<8>(a, b, [&](std::size_t i) { return bit_of(mask, i); });
}
inline __m512i _mm512_mask_shuffle_epi8(const __m512i& otherwise, const __mmask64& mask, const __m512i& a,
                                        const __m512i& index) {
  return _mm512_mask_blend_epi8(mask, otherwise, prove::shuffle8(a, index));
}
inline __m512i _mm512_permutexvar_epi8(const __m512i& index, const __m512i& a) { return prove::permute8(a, index); }
inline __m512i _mm512_mask_permutexvar_epi8(const __m512i& otherwise, const __mmask64& mask, const __m512i& index,
                                            const __m512i& a) {
  return _mm512_mask_blend_epi8(mask, otherwise, prove::permute8(a, index));
}
inline __m512i _mm512_maskz_permutexvar_epi8(const __mmask64& mask, const __m512i& index, const __m512i& a) {
  return _mm512_mask_blend_epi8(mask, _mm512_setzero_si512(), prove::permute8(a, index));
}
inline __mmask64 _mm512_movepi8_mask(const __m512i& a) {
  prove::Signals top;
  for (std::size_t i = 0; i < 64; ++i) top.push_back(prove::element<8>(a, i)[7]);
  return __mmask64::of(top);
}
inline __m512i _mm512_movm_epi8(const __mmask64& mask) {
  return prove::of_elements<64, 8>([&](std::size_t i) { return prove::Signals(8, bit_of(mask, i)); });
}
inline __m512i _mm512_gf2p8affine_epi64_epi8(const __m512i& a, const __m512i& matrix, int /*addend 0*/) {
  return prove::affine_bytes(a, matrix);
}
inline __m512i _mm512_shuffle_i64x2(const __m512i& a, const __m512i& b, int order) {
  return prove::of_elements<64, 128>(
      [&](std::size_t i) { return prove::element<128>(i < 2 ? a : b, static_cast<unsigned>(order) >> 2 * i & 3); });
}
inline __m512i _mm512_unpacklo_epi32(const __m512i& a, const __m512i& b) { return prove::unpack<32>(a, b, false); }
inline __m512i _mm512_unpackhi_epi32(const __m512i& a, const __m512i& b) { return prove::unpack<32>(a, b, true); }
inline __m512i _mm512_unpacklo_epi64(const __m512i& a, const __m512i& b) { return prove::unpack<64>(a, b, false); }
inline __m512i _mm512_unpackhi_epi64(const __m512i& a, const __m512i& b) { return prove::unpack<64>(a, b, true); }
inline __m512i _mm512_aesenc_epi128(const __m512i& a, const __m512i& key) { return prove::aes_encrypted(a, key); }
inline __m512i _mm512_aesenclast_epi128(const __m512i& a, const __m512i& key) { return prove::aes_encrypted_last(a, key); }
inline __m512i _mm512_aesdec_epi128(const __m512i& a, const __m512i& key) { return prove::aes_decrypted(a, key); }
inline __m512i _mm512_aesdeclast_epi128(const __m512i& a, const __m512i& key) { return prove::aes_decrypted_last(a, key); }
