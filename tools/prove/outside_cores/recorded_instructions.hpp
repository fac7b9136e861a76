// In place of immintrin.h where shipped vectors are recorded (lanes/word_aesni.hpp, word_avx2.hpp, word_avx2_vaes.hpp and
// word_avx512.hpp): registers of signals, and each instruction that those claims reach by its definition in the Intel SDM
// volume 2. `record_claims check` compares them with the machine's. Instructions that are only declared stop the link if
// something reaches them.
//
// An unknown number has no value that fits into the machine's long long, by which such a number becomes a vector: a number
// that stands for it goes there (stand_in).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "recorded_integer.hpp"

namespace prove {

template <std::size_t num_bytes>
struct Register {
  std::uint8_t byte[num_bytes];

  Register() = default;
  Register(const Register& other) { copy_memory(byte, other.byte, num_bytes); }
  Register& operator=(const Register& other) {
    copy_memory(byte, other.byte, num_bytes);
    return *this;
  }
  ~Register() { forget_memory(byte, num_bytes); }

  [[nodiscard]] Signals bits() const { return read_memory(byte, num_bytes); }
  static Register of(Signals bits) {
    if (goes_wrong(Fault::operation)) {
      for (Literal& bit : bits) bit = not_of(bit);
    }
    Register r;
    write_memory(r.byte, bits);
    return r;
  }
  static Register load(const void* p) {
    Register r;
    copy_memory(r.byte, p, num_bytes);
    return r;
  }
};

inline Signals part(const Signals& bits, std::size_t first, std::size_t count) {
  return Signals(bits.begin() + static_cast<std::ptrdiff_t>(first),
                 bits.begin() + static_cast<std::ptrdiff_t>(first + count));
}
inline void append(Signals& to, const Signals& more) { to.insert(to.end(), more.begin(), more.end()); }

/// Elements of so many bits: element i of the result is function(i).
template <std::size_t num_bytes, std::size_t element_bits, class Function>
Register<num_bytes> of_elements(Function function) {
  Signals bits;
  for (std::size_t i = 0; i < 8 * num_bytes / element_bits; ++i) append(bits, function(i));
  return Register<num_bytes>::of(bits);
}
template <std::size_t element_bits, std::size_t num_bytes>
Signals element(const Register<num_bytes>& a, std::size_t i) {
  return read_memory(a.byte + i * element_bits / 8, element_bits / 8);
}
inline Signals signals_of(std::uint64_t number, std::size_t num_bits) {
  Signals bits(num_bits, zero);
  for (std::size_t i = 0; i < num_bits; ++i) bits[i] = i < 64 ? number >> i & 1 : zero;
  return bits;
}
inline Signals signals_of(long long number) {
  const Signals unknown = stood_for(number);
  return unknown.empty() ? signals_of(static_cast<std::uint64_t>(number), 64) : unknown;
}

template <std::size_t num_bytes, class Gate>
Register<num_bytes> bitwise(const Register<num_bytes>& a, const Register<num_bytes>& b, Gate gate) {
  return Register<num_bytes>::of(on_each_bit(a.bits(), b.bits(), gate));
}
template <std::size_t num_bytes>
Register<num_bytes> xor_registers(const Register<num_bytes>& a, const Register<num_bytes>& b) {
  return bitwise(a, b, [](Literal x, Literal y) { return graph().xor_of(x, y); });
}
template <std::size_t num_bytes>
Register<num_bytes> and_registers(const Register<num_bytes>& a, const Register<num_bytes>& b) {
  return bitwise(a, b, [](Literal x, Literal y) { return graph().and_of(x, y); });
}
template <std::size_t num_bytes>
Register<num_bytes> or_registers(const Register<num_bytes>& a, const Register<num_bytes>& b) {
  return bitwise(a, b, [](Literal x, Literal y) { return graph().or_of(x, y); });
}
template <std::size_t element_bits, std::size_t num_bytes>
Register<num_bytes> add_elements(const Register<num_bytes>& a, const Register<num_bytes>& b) {
  return of_elements<num_bytes, element_bits>(
      [&](std::size_t i) { return add(element<element_bits>(a, i), element<element_bits>(b, i), zero); });
}
/// Shifts of elements by one count; a count that is too large leaves nothing.
template <std::size_t element_bits, std::size_t num_bytes>
Register<num_bytes> shift_elements(const Register<num_bytes>& a, unsigned count, bool left) {
  const unsigned by = count + (goes_wrong(Fault::shift) ? 1 : 0);
  return of_elements<num_bytes, element_bits>(
      [&](std::size_t i) { return shift_by_constant(element<element_bits>(a, i), by, left, zero); });
}
/// ... and by a known count each.
template <std::size_t element_bits, std::size_t num_bytes>
Register<num_bytes> shift_each(const Register<num_bytes>& a, const Register<num_bytes>& counts, bool left) {
  return of_elements<num_bytes, element_bits>([&](std::size_t i) {
    std::uint64_t count = 0;
    const Signals bits = element<element_bits>(counts, i);
    for (std::size_t k = 0; k < element_bits; ++k) {
      if (bits[k] > one) throw std::logic_error("a count depends on an unknown bit");
      count |= std::uint64_t{bits[k]} << k;
    }
    return shift_by_constant(element<element_bits>(a, i),
                             static_cast<unsigned>(std::min<std::uint64_t>(count, element_bits)), left, zero);
  });
}
/// PSHUFD in each 128-bit element.
template <std::size_t num_bytes>
Register<num_bytes> shuffle32(const Register<num_bytes>& a, unsigned order) {
  return of_elements<num_bytes, 32>([&](std::size_t i) { return element<32>(a, i / 4 * 4 + (order >> 2 * (i % 4) & 3)); });
}
/// PSHUFB: unknown indices choose among the 16 bytes.
template <std::size_t num_bytes>
Register<num_bytes> shuffle8(const Register<num_bytes>& a, const Register<num_bytes>& index) {
  return of_elements<num_bytes, 8>([&](std::size_t i) {
    const Signals which = element<8>(index, i);
    Signals result;
    for (std::size_t bit = 0; bit < 8; ++bit) {
      Signals row;
      for (std::size_t k = 0; k < 16; ++k) row.push_back(element<8>(a, i / 16 * 16 + k)[bit]);
      for (std::size_t level = 0; level < 4; ++level) {  // the lowest bit chooses between neighbours
        Signals half;
        for (std::size_t k = 0; k < row.size(); k += 2) half.push_back(graph().choose(which[level], row[k + 1], row[k]));
        row = half;
      }
      result.push_back(graph().and_of(not_of(which[7]), row[0]));
    }
    return result;
  });
}
/// PCLMULQDQ in each 128-bit element: the sum of a_i b_j stands at i + j.
template <std::size_t num_bytes>
Register<num_bytes> carryless_product(const Register<num_bytes>& a, const Register<num_bytes>& b, int halves) {
  return of_elements<num_bytes, 128>([&](std::size_t i) {
    const Signals x = element<64>(a, 2 * i + (halves & 1));
    const Signals y = element<64>(b, 2 * i + (halves >> 4 & 1));
    Signals sum(128, zero);
    for (std::size_t j = 0; j < 64; ++j) {
      for (std::size_t k = 0; k < 64; ++k) sum[j + k] = graph().xor_of(sum[j + k], graph().and_of(x[j], y[k]));
    }
    return sum;
  });
}
/// PSLLDQ and PSRLDQ in each 128-bit element.
template <std::size_t num_bytes>
Register<num_bytes> shift_bytes(const Register<num_bytes>& a, int count, bool left) {
  return of_elements<num_bytes, 128>(
      [&](std::size_t i) { return shift_by_constant(element<128>(a, i), 8 * static_cast<unsigned>(count), left, zero); });
}
template <std::size_t to_bytes, std::size_t from_bytes>
Register<to_bytes> resized(const Register<from_bytes>& a) {
  Signals bits = a.bits();
  bits.resize(8 * to_bytes, zero);
  Register<to_bytes> r;
  write_memory(r.byte, bits);
  return r;
}
template <std::size_t num_bytes>
Register<num_bytes> repeated(const Signals& bits) {
  return of_elements<num_bytes, 8>([&](std::size_t i) { return part(bits, 8 * i % bits.size(), 8); });
}
template <std::size_t num_bytes, class... Number>
Register<num_bytes> of_numbers(std::size_t element_bits, Number... numbers) {
  Signals bits;
  for (const long long number : {static_cast<long long>(numbers)...})
    append(bits, part(signals_of(number), 0, element_bits));
  return Register<num_bytes>::of(bits);
}

}  // namespace prove

using __m128i = prove::Register<16>;
using __m256i = prove::Register<32>;
using __m512i = prove::Register<64>;
using __mmask8 = unsigned char;
using __mmask64 = unsigned long;
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
/// VPCMPGTQ of known numbers.
inline __m256i _mm256_cmpgt_epi64(const __m256i& a, const __m256i& b) {
  return prove::of_elements<32, 64>([&](std::size_t i) {
    std::int64_t number[2] = {};
    for (unsigned which = 0; which < 2; ++which) {
      const prove::Signals bits = prove::element<64>(which == 0 ? a : b, i);
      for (std::size_t k = 0; k < 64; ++k) {
        if (bits[k] > prove::one) throw std::logic_error("a comparison of unknown bits");
        number[which] |= static_cast<std::int64_t>(std::uint64_t{bits[k]} << k);
      }
    }
    return prove::Signals(64, number[0] > number[1] ? prove::one : prove::zero);
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
inline __m512i _mm512_sub_epi64(const __m512i& a, const __m512i& b) {
  return prove::of_elements<64, 64>([&](std::size_t i) {
    prove::Signals y = prove::element<64>(b, i);
    for (prove::Literal& bit : y) bit = prove::not_of(bit);
    return prove::add(prove::element<64>(a, i), y, prove::one);
  });
}
inline __m512i _mm512_ternarylogic_epi64(const __m512i& a, const __m512i& b, const __m512i& c, int table) {
  const prove::Signals x = a.bits();
  const prove::Signals y = b.bits();
  const prove::Signals z = c.bits();
  prove::Signals r;
  for (std::size_t i = 0; i < x.size(); ++i) {
    r.push_back(prove::look_up(static_cast<std::uint8_t>(table), x[i], y[i], z[i]));
  }
  return __m512i::of(r);
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

// What the claims do not reach.
#define PROVE_UNREACHED(Result, name) \
  template <class... Operand>         \
  Result name(const Operand&...);
PROVE_UNREACHED(__m256i, _mm256_add_epi32)
PROVE_UNREACHED(__m256i, _mm256_aesdec_epi128)
PROVE_UNREACHED(__m256i, _mm256_aesdeclast_epi128)
PROVE_UNREACHED(__m256i, _mm256_aesenc_epi128)
PROVE_UNREACHED(__m256i, _mm256_aesenclast_epi128)
PROVE_UNREACHED(__m256i, _mm256_andnot_si256)
PROVE_UNREACHED(__m256i, _mm256_blend_epi32)
PROVE_UNREACHED(__m256i, _mm256_blendv_epi8)
PROVE_UNREACHED(__m256i, _mm256_cvtepu8_epi64)
PROVE_UNREACHED(__m256i, _mm256_inserti128_si256)
PROVE_UNREACHED(void, _mm256_maskstore_epi64)
PROVE_UNREACHED(__m256i, _mm256_permute2x128_si256)
PROVE_UNREACHED(__m256i, _mm256_permutevar8x32_epi32)
PROVE_UNREACHED(__m256i, _mm256_set1_epi32)
PROVE_UNREACHED(__m256i, _mm256_set1_epi8)
PROVE_UNREACHED(__m256i, _mm256_slli_epi32)
PROVE_UNREACHED(__m256i, _mm256_sllv_epi32)
PROVE_UNREACHED(__m256i, _mm256_sllv_epi64)
PROVE_UNREACHED(__m256i, _mm256_srli_epi32)
PROVE_UNREACHED(__m256i, _mm256_srlv_epi32)
PROVE_UNREACHED(__m256i, _mm256_srlv_epi64)
PROVE_UNREACHED(__m256i, _mm256_sub_epi32)
PROVE_UNREACHED(__m256i, _mm256_subs_epi8)
PROVE_UNREACHED(__m256i, _mm256_unpackhi_epi32)
PROVE_UNREACHED(__m256i, _mm256_unpackhi_epi64)
PROVE_UNREACHED(__m256i, _mm256_unpacklo_epi32)
PROVE_UNREACHED(__m256i, _mm256_unpacklo_epi64)
PROVE_UNREACHED(__m512i, _mm512_add_epi32)
PROVE_UNREACHED(__m512i, _mm512_aesdec_epi128)
PROVE_UNREACHED(__m512i, _mm512_aesdeclast_epi128)
PROVE_UNREACHED(__m512i, _mm512_aesenc_epi128)
PROVE_UNREACHED(__m512i, _mm512_aesenclast_epi128)
PROVE_UNREACHED(__m512i, _mm512_andnot_si512)
PROVE_UNREACHED(__m512i, _mm512_cvtepu8_epi64)
PROVE_UNREACHED(__m512i, _mm512_gf2p8affine_epi64_epi8)
PROVE_UNREACHED(__m512i, _mm512_mask_blend_epi8)
PROVE_UNREACHED(__m512i, _mm512_mask_permutexvar_epi8)
PROVE_UNREACHED(__m512i, _mm512_mask_shuffle_epi8)
PROVE_UNREACHED(void, _mm512_mask_storeu_epi64)
PROVE_UNREACHED(__m512i, _mm512_maskz_permutexvar_epi8)
PROVE_UNREACHED(unsigned long, _mm512_movepi8_mask)
PROVE_UNREACHED(__m512i, _mm512_movm_epi8)
PROVE_UNREACHED(__m512i, _mm512_permutexvar_epi8)
PROVE_UNREACHED(__m512i, _mm512_rol_epi32)
PROVE_UNREACHED(__m512i, _mm512_rolv_epi32)
PROVE_UNREACHED(__m512i, _mm512_set1_epi32)
PROVE_UNREACHED(__m512i, _mm512_set1_epi8)
PROVE_UNREACHED(__m512i, _mm512_shuffle_i64x2)
PROVE_UNREACHED(__m512i, _mm512_slli_epi32)
PROVE_UNREACHED(__m512i, _mm512_srli_epi32)
PROVE_UNREACHED(__m512i, _mm512_unpackhi_epi32)
PROVE_UNREACHED(__m512i, _mm512_unpackhi_epi64)
PROVE_UNREACHED(__m512i, _mm512_unpacklo_epi32)
PROVE_UNREACHED(__m512i, _mm512_unpacklo_epi64)
PROVE_UNREACHED(__m128i, _mm_aesdec_si128)
PROVE_UNREACHED(__m128i, _mm_aesdeclast_si128)
PROVE_UNREACHED(__m128i, _mm_aesenc_si128)
PROVE_UNREACHED(__m128i, _mm_aesenclast_si128)
PROVE_UNREACHED(__m128i, _mm_aesimc_si128)
PROVE_UNREACHED(__m128i, _mm_andnot_si128)
PROVE_UNREACHED(int, _mm_cvtsi128_si32)
PROVE_UNREACHED(long long, _mm_cvtsi128_si64)
PROVE_UNREACHED(__m128i, _mm_cvtsi32_si128)
PROVE_UNREACHED(__m128i, _mm_loadl_epi64)
PROVE_UNREACHED(__m128i, _mm_or_si128)
PROVE_UNREACHED(__m128i, _mm_set1_epi32)
PROVE_UNREACHED(__m128i, _mm_slli_si128)
PROVE_UNREACHED(__m128i, _mm_srli_epi32)
PROVE_UNREACHED(__m128i, _mm_unpacklo_epi64)
#undef PROVE_UNREACHED
