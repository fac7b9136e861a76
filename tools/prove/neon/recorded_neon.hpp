// In place of arm_neon.h where shipped vectors are recorded (lanes/word_neon.hpp): which instruction an intrinsic is, by the
// Arm C Language Extensions' list of them (Arm IHI 0073), and what that instruction does, by its pseudocode in the Arm
// Architecture Reference Manual for A-profile (DDI 0487), chapter C7, under the name that stands beside it here.
// tests/prove/recorded_neon_test.cpp compares them with those of a machine, or of qemu-user.
//
// A number in memory has its lowest byte first, so that element i of a register is at byte i times the element's size.
#pragma once

#include "outside_cores/recorded_aes_instructions.hpp"
#include "outside_cores/recorded_register.hpp"

namespace prove {

using NeonRegister = Register<16>;
/// This is a register whose type word_neon.hpp chooses an overload by.
struct NeonDwords : NeonRegister {
  NeonDwords() = default;
  NeonDwords(const NeonRegister& a) : NeonRegister(a) {}  // NOLINT: as a register has no type
};
template <std::size_t num_registers>
struct NeonTable {
  NeonRegister val[num_registers];
};

inline NeonRegister neon_not(const NeonRegister& a) { return xor_registers(a, repeated<16>(Signals(8, one))); }
/// TBL, TBX: byte `index` of the registers one after another; what lies behind them gives a byte of `otherwise`.
template <std::size_t num_registers>
NeonRegister neon_looked_up(const NeonRegister* table, const NeonRegister& index, const NeonRegister& otherwise) {
  return of_elements<16, 8>([&](std::size_t i) {
    const Signals which = element<8>(index, i);
    Signals result;
    for (std::size_t bit = 0; bit < 8; ++bit) {
      Signals row(256, element<8>(otherwise, i)[bit]);
      for (std::size_t k = 0; k < 16 * num_registers; ++k) row[k] = element<8>(table[k / 16], k % 16)[bit];
      result.push_back(chosen(row, which));
    }
    return result;
  });
}
/// REV16, REV32, REV64: the elements of each container the other way round.
template <std::size_t element_bits, std::size_t container_bits>
NeonRegister neon_reversed(const NeonRegister& a) {
  constexpr std::size_t count = container_bits / element_bits;
  return of_elements<16, element_bits>(
      [&](std::size_t i) { return element<element_bits>(a, i / count * count + (count - 1 - i % count)); });
}
/// TRN1, TRN2: the elements with an even number, or an odd one, of a and b by turns.
template <std::size_t element_bits>
NeonRegister neon_transposed(const NeonRegister& a, const NeonRegister& b, std::size_t odd) {
  return of_elements<16, element_bits>(
      [&](std::size_t i) { return element<element_bits>(i % 2 == 0 ? a : b, i / 2 * 2 + odd); });
}
/// ZIP1, ZIP2: those of the low half, or of the high one, by turns.
template <std::size_t element_bits>
NeonRegister neon_zipped(const NeonRegister& a, const NeonRegister& b, std::size_t half) {
  constexpr std::size_t in_half = 64 / element_bits;
  return of_elements<16, element_bits>(
      [&](std::size_t i) { return element<element_bits>(i % 2 == 0 ? a : b, half * in_half + i / 2); });
}
/// EXT: bytes from `first` on, of a and then of b.
inline NeonRegister neon_extracted(const NeonRegister& a, const NeonRegister& b, std::size_t first) {
  return of_elements<16, 8>(
      [&](std::size_t i) { return i + first < 16 ? element<8>(a, i + first) : element<8>(b, i + first - 16); });
}
/// SRI and SLI: b shifted, and bits of a where zeros would come in.
template <std::size_t element_bits>
NeonRegister neon_inserted(const NeonRegister& a, const NeonRegister& b, unsigned count, bool left) {
  return of_elements<16, element_bits>([&](std::size_t i) {
    const Signals kept = element<element_bits>(a, i);
    Signals bits = shift_by_constant(element<element_bits>(b, i), count, left, zero);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t place = left ? k : element_bits - 1 - k;
      bits[place] = kept[place];
    }
    return bits;
  });
}
/// USHL: by the signed lowest byte of each element of `counts`, to the left, or where it is negative to the right.
template <std::size_t element_bits>
NeonRegister neon_shifted_each(const NeonRegister& a, const NeonRegister& counts) {
  return of_elements<16, element_bits>([&](std::size_t i) {
    const Signals x = element<element_bits>(a, i);
    const Signals count = part(element<element_bits>(counts, i), 0, 8);
    Signals opposite = count;
    for (Literal& bit : opposite) bit = not_of(bit);
    opposite = add(opposite, Signals(8, zero), one);
    const Signals right = shifted_by(x, opposite, false);
    Signals result = shifted_by(x, count, true);
    for (std::size_t k = 0; k < element_bits; ++k) result[k] = graph().choose(count[7], right[k], result[k]);
    return result;
  });
}
/// BSL: bits of a where the mask has ones, else of b.
inline NeonRegister neon_selected(const NeonRegister& mask, const NeonRegister& a, const NeonRegister& b) {
  return xor_registers(b, and_registers(mask, xor_registers(a, b)));
}
inline NeonRegister neon_zero() { return repeated<16>(Signals(8, zero)); }
/// AESE and AESD: the key is added first. AESMC and AESIMC have none.
inline NeonRegister neon_aes(const NeonRegister& state, const NeonRegister& key, bool inverse) {
  return on_aes_states(xor_registers(state, key), neon_zero(),
                       [inverse](const AesBytes& s) { return aes_substituted(aes_shifted(s, inverse), inverse); });
}
inline NeonRegister neon_aes_mixed(const NeonRegister& state, bool inverse) {
  return on_aes_states(state, neon_zero(), [inverse](const AesBytes& s) { return aes_mixed(s, inverse); });
}
template <class Number>
NeonRegister neon_repeated(const Number& x) {
  return repeated<16>(x.bits());
}
template <class Number>
NeonRegister neon_alone(const Number& x) {  // in the lowest element, zeros above
  Signals bits = x.bits();
  bits.resize(128, zero);
  return NeonRegister::of(bits);
}

}  // namespace prove

using uint8x16_t = prove::NeonRegister;
using uint16x8_t = prove::NeonRegister;
using uint32x4_t = prove::NeonDwords;
using uint64x2_t = prove::NeonRegister;
using int32x4_t = prove::NeonRegister;
using int64x2_t = prove::NeonRegister;
using poly64x2_t = prove::NeonRegister;
using poly128_t = prove::NeonRegister;
using uint64x1_t = prove::Register<8>;
using poly64_t = prove::RecordedInteger<std::uint64_t>;
using uint8x16x4_t = prove::NeonTable<4>;

// LD1, ST1, DUP, FMOV, INS, UMOV
inline uint8x16_t vld1q_u8(const void* p) { return uint8x16_t::load(p); }
inline uint8x16x4_t vld1q_u8_x4(const void* p) {
  const auto* const bytes = static_cast<const std::uint8_t*>(p);
  return {{vld1q_u8(bytes), vld1q_u8(bytes + 16), vld1q_u8(bytes + 32), vld1q_u8(bytes + 48)}};
}
inline void vst1q_u8(void* p, const uint8x16_t& a) { prove::copy_memory(p, a.byte, 16); }
inline uint8x16_t vdupq_n_u8(const prove::RecordedInteger<std::uint8_t>& x) { return prove::neon_repeated(x); }
inline uint32x4_t vdupq_n_u32(const prove::RecordedInteger<std::uint32_t>& x) { return prove::neon_repeated(x); }
inline int32x4_t vdupq_n_s32(const prove::RecordedInteger<std::int32_t>& x) { return prove::neon_repeated(x); }
inline uint64x2_t vdupq_n_u64(const prove::RecordedInteger<std::uint64_t>& x) { return prove::neon_repeated(x); }
inline uint64x1_t vcreate_u64(const prove::RecordedInteger<std::uint64_t>& x) { return uint64x1_t::of(x.bits()); }
inline uint64x2_t vcombine_u64(const uint64x1_t& low, const uint64x1_t& high) {
  return prove::of_elements<16, 64>([&](std::size_t i) { return (i == 0 ? low : high).bits(); });
}
inline prove::RecordedInteger<std::uint32_t> vgetq_lane_u32(const uint32x4_t& a, int i) {
  return prove::RecordedInteger<std::uint32_t>::of(prove::element<32>(a, static_cast<std::size_t>(i)));
}
inline prove::RecordedInteger<std::uint64_t> vgetq_lane_u64(const uint64x2_t& a, int i) {
  return prove::RecordedInteger<std::uint64_t>::of(prove::element<64>(a, static_cast<std::size_t>(i)));
}
inline poly64_t vgetq_lane_p64(const poly64x2_t& a, int i) { return vgetq_lane_u64(a, i); }

// Instructions that only rename a register give it back.
#define PROVE_SAME_REGISTER(name) \
  inline prove::NeonRegister name(const prove::NeonRegister& a) { return a; }
PROVE_SAME_REGISTER(vreinterpretq_p64_u64)
PROVE_SAME_REGISTER(vreinterpretq_s32_u32)
PROVE_SAME_REGISTER(vreinterpretq_s64_u64)
PROVE_SAME_REGISTER(vreinterpretq_u16_u64)
PROVE_SAME_REGISTER(vreinterpretq_u32_u64)
PROVE_SAME_REGISTER(vreinterpretq_u64_p128)
PROVE_SAME_REGISTER(vreinterpretq_u64_s64)
PROVE_SAME_REGISTER(vreinterpretq_u64_u16)
PROVE_SAME_REGISTER(vreinterpretq_u64_u32)
PROVE_SAME_REGISTER(vreinterpretq_u64_u8)
PROVE_SAME_REGISTER(vreinterpretq_u8_u16)
PROVE_SAME_REGISTER(vreinterpretq_u8_u64)
#undef PROVE_SAME_REGISTER

// AND, ORR, EOR, BIC, NOT, BSL
inline uint64x2_t vandq_u64(const uint64x2_t& a, const uint64x2_t& b) { return prove::and_registers(a, b); }
inline uint64x2_t vorrq_u64(const uint64x2_t& a, const uint64x2_t& b) { return prove::or_registers(a, b); }
inline uint32x4_t vorrq_u32(const uint32x4_t& a, const uint32x4_t& b) { return prove::or_registers(a, b); }
inline uint64x2_t veorq_u64(const uint64x2_t& a, const uint64x2_t& b) { return prove::xor_registers(a, b); }
inline uint64x2_t vbicq_u64(const uint64x2_t& a, const uint64x2_t& b) { return prove::and_not_registers(a, b); }
inline uint8x16_t vmvnq_u8(const uint8x16_t& a) { return prove::neon_not(a); }
inline uint8x16_t vbslq_u8(const uint8x16_t& mask, const uint8x16_t& a, const uint8x16_t& b) {
  return prove::neon_selected(mask, a, b);
}

// ADD, SUB
inline uint64x2_t vaddq_u64(const uint64x2_t& a, const uint64x2_t& b) { return prove::add_elements<64>(a, b); }
inline uint32x4_t vaddq_u32(const uint32x4_t& a, const uint32x4_t& b) { return prove::add_elements<32>(a, b); }
inline uint8x16_t vsubq_u8(const uint8x16_t& a, const uint8x16_t& b) { return prove::subtract_elements<8>(a, b); }
inline int32x4_t vsubq_s32(const int32x4_t& a, const int32x4_t& b) { return prove::subtract_elements<32>(a, b); }

// SHL, USHR, SSHR, USHL, SLI, SRI
inline uint8x16_t vshlq_n_u8(const uint8x16_t& a, int count) {
  return prove::shift_elements<8>(a, static_cast<unsigned>(count), true);
}
inline uint32x4_t vshlq_n_u32(const uint32x4_t& a, int count) {
  return prove::shift_elements<32>(a, static_cast<unsigned>(count), true);
}
inline uint8x16_t vshrq_n_u8(const uint8x16_t& a, int count) {
  return prove::shift_elements<8>(a, static_cast<unsigned>(count), false);
}
inline uint32x4_t vshrq_n_u32(const uint32x4_t& a, int count) {
  return prove::shift_elements<32>(a, static_cast<unsigned>(count), false);
}
inline int64x2_t vshrq_n_s64(const int64x2_t& a, int count) {
  return prove::of_elements<16, 64>([&](std::size_t i) {
    const prove::Signals bits = prove::element<64>(a, i);
    return prove::shift_by_constant(bits, static_cast<unsigned>(count), false, bits[63]);
  });
}
inline uint32x4_t vshlq_u32(const uint32x4_t& a, const int32x4_t& counts) { return prove::neon_shifted_each<32>(a, counts); }
inline uint8x16_t vsliq_n_u8(const uint8x16_t& a, const uint8x16_t& b, int count) {
  return prove::neon_inserted<8>(a, b, static_cast<unsigned>(count), true);
}
inline uint8x16_t vsriq_n_u8(const uint8x16_t& a, const uint8x16_t& b, int count) {
  return prove::neon_inserted<8>(a, b, static_cast<unsigned>(count), false);
}
inline uint32x4_t vsriq_n_u32(const uint32x4_t& a, const uint32x4_t& b, int count) {
  return prove::neon_inserted<32>(a, b, static_cast<unsigned>(count), false);
}

// EXT, REV32, REV64, TRN1, TRN2, ZIP1, ZIP2
inline uint8x16_t vextq_u8(const uint8x16_t& a, const uint8x16_t& b, int first) {
  return prove::neon_extracted(a, b, static_cast<std::size_t>(first));
}
inline uint64x2_t vextq_u64(const uint64x2_t& a, const uint64x2_t& b, int first) {
  return prove::neon_extracted(a, b, 8 * static_cast<std::size_t>(first));
}
inline uint16x8_t vrev32q_u16(const uint16x8_t& a) { return prove::neon_reversed<16, 32>(a); }
inline uint32x4_t vrev64q_u32(const uint32x4_t& a) { return prove::neon_reversed<32, 64>(a); }
inline uint8x16_t vrev64q_u8(const uint8x16_t& a) { return prove::neon_reversed<8, 64>(a); }
inline uint8x16_t vtrn1q_u8(const uint8x16_t& a, const uint8x16_t& b) { return prove::neon_transposed<8>(a, b, 0); }
inline uint8x16_t vtrn2q_u8(const uint8x16_t& a, const uint8x16_t& b) { return prove::neon_transposed<8>(a, b, 1); }
inline uint16x8_t vtrn1q_u16(const uint16x8_t& a, const uint16x8_t& b) { return prove::neon_transposed<16>(a, b, 0); }
inline uint16x8_t vtrn2q_u16(const uint16x8_t& a, const uint16x8_t& b) { return prove::neon_transposed<16>(a, b, 1); }
inline uint32x4_t vtrn1q_u32(const uint32x4_t& a, const uint32x4_t& b) { return prove::neon_transposed<32>(a, b, 0); }
inline uint32x4_t vtrn2q_u32(const uint32x4_t& a, const uint32x4_t& b) { return prove::neon_transposed<32>(a, b, 1); }
inline uint32x4_t vzip1q_u32(const uint32x4_t& a, const uint32x4_t& b) { return prove::neon_zipped<32>(a, b, 0); }
inline uint32x4_t vzip2q_u32(const uint32x4_t& a, const uint32x4_t& b) { return prove::neon_zipped<32>(a, b, 1); }
inline uint64x2_t vzip1q_u64(const uint64x2_t& a, const uint64x2_t& b) { return prove::neon_zipped<64>(a, b, 0); }
inline uint64x2_t vzip2q_u64(const uint64x2_t& a, const uint64x2_t& b) { return prove::neon_zipped<64>(a, b, 1); }

// TBL, TBX
inline uint8x16_t vqtbl1q_u8(const uint8x16_t& table, const uint8x16_t& index) {
  return prove::neon_looked_up<1>(&table, index, prove::neon_zero());
}
inline uint8x16_t vqtbl4q_u8(const uint8x16x4_t& table, const uint8x16_t& index) {
  return prove::neon_looked_up<4>(table.val, index, prove::neon_zero());
}
inline uint8x16_t vqtbx4q_u8(const uint8x16_t& otherwise, const uint8x16x4_t& table, const uint8x16_t& index) {
  return prove::neon_looked_up<4>(table.val, index, otherwise);
}

// PMULL, PMULL2, AESE, AESD, AESMC, AESIMC
inline poly128_t vmull_p64(const poly64_t& a, const poly64_t& b) {
  return prove::carryless_product(prove::neon_alone(a), prove::neon_alone(b), 0x00);
}
inline poly128_t vmull_high_p64(const poly64x2_t& a, const poly64x2_t& b) { return prove::carryless_product(a, b, 0x11); }
inline uint8x16_t vaeseq_u8(const uint8x16_t& a, const uint8x16_t& key) { return prove::neon_aes(a, key, false); }
inline uint8x16_t vaesdq_u8(const uint8x16_t& a, const uint8x16_t& key) { return prove::neon_aes(a, key, true); }
inline uint8x16_t vaesmcq_u8(const uint8x16_t& a) { return prove::neon_aes_mixed(a, false); }
inline uint8x16_t vaesimcq_u8(const uint8x16_t& a) { return prove::neon_aes_mixed(a, true); }
