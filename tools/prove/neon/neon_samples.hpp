// The instructions of recorded_neon.hpp as functions of two operands: included twice, with the compiler's arm_neon.h and with the
// recorded one in its place.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

#include "neon/neon_check.hpp"

namespace prove {
namespace {

uint8x16_t bytes(uint64x2_t a) { return vreinterpretq_u8_u64(a); }
uint16x8_t words(uint64x2_t a) { return vreinterpretq_u16_u64(a); }
uint32x4_t dwords(uint64x2_t a) { return vreinterpretq_u32_u64(a); }
poly64x2_t polynomials(uint64x2_t a) { return vreinterpretq_p64_u64(a); }
uint64x2_t of_bytes(uint8x16_t a) { return vreinterpretq_u64_u8(a); }
uint64x2_t of_words(uint16x8_t a) { return vreinterpretq_u64_u16(a); }
uint64x2_t of_dwords(uint32x4_t a) { return vreinterpretq_u64_u32(a); }
/// Indices that are too large in half of all cases.
uint8x16_t indices(uint64x2_t a, std::uint8_t most) {
  return vreinterpretq_u8_u64(vandq_u64(a, of_bytes(vdupq_n_u8(most))));
}
/// Counts of 0 to 63.
uint32x4_t of_small_counts(uint64x2_t a) { return dwords(vandq_u64(a, of_dwords(vdupq_n_u32(63)))); }
uint8x16x4_t four(uint64x2_t x, uint64x2_t y) {
  uint8x16x4_t table;
  table.val[0] = bytes(x);
  table.val[1] = bytes(y);
  table.val[2] = bytes(vaddq_u64(x, y));
  table.val[3] = bytes(veorq_u64(x, y));
  return table;
}
constexpr std::uint8_t sample_memory[64] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2,
                                            6, 4, 3, 3, 8, 3, 2, 7, 9, 5, 0, 2, 8, 8, 4, 1, 9, 7, 1, 6, 9, 3,
                                            9, 9, 3, 7, 5, 1, 0, 5, 8, 2, 0, 9, 7, 4, 9, 4, 4, 5, 9, 2};

using SampleNeon = uint64x2_t (*)(uint64x2_t x, uint64x2_t y);
#define PROVE_SAMPLE(expression) \
  [](uint64x2_t x, uint64x2_t y) { return static_cast<void>(x), static_cast<void>(y), expression; }
constexpr SampleNeon neon_samples[] = {
    PROVE_SAMPLE(vandq_u64(x, y)),
    PROVE_SAMPLE(vorrq_u64(x, y)),
    PROVE_SAMPLE(of_dwords(vorrq_u32(dwords(x), dwords(y)))),
    PROVE_SAMPLE(veorq_u64(x, y)),
    PROVE_SAMPLE(vbicq_u64(x, y)),
    PROVE_SAMPLE(of_bytes(vmvnq_u8(bytes(x)))),
    PROVE_SAMPLE(of_bytes(vbslq_u8(bytes(x), bytes(y), vdupq_n_u8(0x5a)))),
    PROVE_SAMPLE(vaddq_u64(x, y)),
    PROVE_SAMPLE(of_dwords(vaddq_u32(dwords(x), dwords(y)))),
    PROVE_SAMPLE(of_bytes(vsubq_u8(bytes(x), bytes(y)))),
    PROVE_SAMPLE(of_dwords(vshlq_u32(dwords(x), vreinterpretq_s32_u32(dwords(y))))),
    PROVE_SAMPLE(of_dwords(vshlq_u32(dwords(x), vsubq_s32(vreinterpretq_s32_u32(of_small_counts(y)), vdupq_n_s32(32))))),
    PROVE_SAMPLE(of_bytes(vshlq_n_u8(bytes(x), 3))),
    PROVE_SAMPLE(of_dwords(vshlq_n_u32(dwords(x), 7))),
    PROVE_SAMPLE(of_bytes(vshrq_n_u8(bytes(x), 5))),
    PROVE_SAMPLE(of_dwords(vshrq_n_u32(dwords(x), 9))),
    PROVE_SAMPLE(vreinterpretq_u64_s64(vshrq_n_s64(vreinterpretq_s64_u64(x), 63))),
    PROVE_SAMPLE(of_bytes(vsliq_n_u8(bytes(x), bytes(y), 3))),
    PROVE_SAMPLE(of_bytes(vsriq_n_u8(bytes(x), bytes(y), 3))),
    PROVE_SAMPLE(of_dwords(vsriq_n_u32(dwords(x), dwords(y), 27))),
    PROVE_SAMPLE(of_bytes(vextq_u8(bytes(x), bytes(y), 3))),
    PROVE_SAMPLE(vextq_u64(x, y, 1)),
    PROVE_SAMPLE(vreinterpretq_u64_u8(vreinterpretq_u8_u16(vrev32q_u16(words(x))))),
    PROVE_SAMPLE(of_dwords(vrev64q_u32(dwords(x)))),
    PROVE_SAMPLE(of_bytes(vrev64q_u8(bytes(x)))),
    PROVE_SAMPLE(of_bytes(vtrn1q_u8(bytes(x), bytes(y)))),
    PROVE_SAMPLE(of_bytes(vtrn2q_u8(bytes(x), bytes(y)))),
    PROVE_SAMPLE(of_words(vtrn1q_u16(words(x), words(y)))),
    PROVE_SAMPLE(of_words(vtrn2q_u16(words(x), words(y)))),
    PROVE_SAMPLE(of_dwords(vtrn1q_u32(dwords(x), dwords(y)))),
    PROVE_SAMPLE(of_dwords(vtrn2q_u32(dwords(x), dwords(y)))),
    PROVE_SAMPLE(of_dwords(vzip1q_u32(dwords(x), dwords(y)))),
    PROVE_SAMPLE(of_dwords(vzip2q_u32(dwords(x), dwords(y)))),
    PROVE_SAMPLE(vzip1q_u64(x, y)),
    PROVE_SAMPLE(vzip2q_u64(x, y)),
    PROVE_SAMPLE(of_bytes(vqtbl1q_u8(bytes(x), indices(y, 31)))),
    PROVE_SAMPLE(of_bytes(vqtbl1q_u8(bytes(x), bytes(y)))),
    PROVE_SAMPLE(of_bytes(vqtbl4q_u8(four(x, y), indices(y, 127)))),
    PROVE_SAMPLE(of_bytes(vqtbx4q_u8(bytes(x), four(x, y), indices(y, 127)))),
    PROVE_SAMPLE(of_bytes(vqtbl4q_u8(vld1q_u8_x4(sample_memory), indices(y, 63)))),
    PROVE_SAMPLE(vreinterpretq_u64_p128(vmull_p64(vgetq_lane_p64(polynomials(x), 0), vgetq_lane_p64(polynomials(y), 1)))),
    PROVE_SAMPLE(vreinterpretq_u64_p128(vmull_high_p64(polynomials(x), polynomials(y)))),
    PROVE_SAMPLE(of_bytes(vaeseq_u8(bytes(x), bytes(y)))),
    PROVE_SAMPLE(of_bytes(vaesdq_u8(bytes(x), bytes(y)))),
    PROVE_SAMPLE(of_bytes(vaesmcq_u8(bytes(x)))),
    PROVE_SAMPLE(of_bytes(vaesimcq_u8(bytes(x)))),
    PROVE_SAMPLE(vcombine_u64(vcreate_u64(vgetq_lane_u64(x, 1)), vcreate_u64(vgetq_lane_u64(y, 0)))),
    PROVE_SAMPLE(of_dwords(vdupq_n_u32(vgetq_lane_u32(dwords(x), 0)))),
    PROVE_SAMPLE(vdupq_n_u64(vgetq_lane_u64(x, 1))),
};
#undef PROVE_SAMPLE

/// Instruction `number` of these on 16 bytes each; false if there are fewer.
bool sample_neon(unsigned number, const void* a, const void* b, void* result) {
  if (number >= sizeof neon_samples / sizeof *neon_samples) return false;
  const auto loaded = [](const void* p) { return of_bytes(vld1q_u8(static_cast<const std::uint8_t*>(p))); };
  vst1q_u8(static_cast<std::uint8_t*>(result), bytes(neon_samples[number](loaded(a), loaded(b))));
  return true;
}

}  // namespace
}  // namespace prove
