// The lane word of a GPU is a register of a thread. On the device lut3 is one LOP3. On the host, where tests run the
// same cores, it is a few gates.
#pragma once

#include "engine/lanes/lane_word.hpp"
#include "engine/lanes/lut3_two_input.hpp"

namespace phalanx {
namespace {

/// This word holds 32 lanes of one bit, or one lane of 32 bits.
struct GpuWord {
  std::uint32_t bits;

  /// `p` is aligned.
  static PHALANX_INLINE GpuWord load(const void* p) { return {*static_cast<const std::uint32_t*>(p)}; }
  PHALANX_INLINE void store(void* p) const { *static_cast<std::uint32_t*>(p) = bits; }
  static PHALANX_INLINE GpuWord broadcast32(std::uint32_t x) { return {x}; }

  friend PHALANX_INLINE GpuWord operator&(GpuWord a, GpuWord b) { return {a.bits & b.bits}; }
  friend PHALANX_INLINE GpuWord operator|(GpuWord a, GpuWord b) { return {a.bits | b.bits}; }
  friend PHALANX_INLINE GpuWord operator^(GpuWord a, GpuWord b) { return {a.bits ^ b.bits}; }
  friend PHALANX_INLINE GpuWord operator~(GpuWord a) { return {~a.bits}; }
  friend PHALANX_INLINE GpuWord and_not(GpuWord a, GpuWord b) { return {a.bits & ~b.bits}; }
};

template <std::uint8_t table>
PHALANX_INLINE GpuWord lut3(GpuWord a, GpuWord b, GpuWord c) {
#if defined(__CUDA_ARCH__)
  GpuWord result;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(result.bits) : "r"(a.bits), "r"(b.bits), "r"(c.bits), "n"(table));
  return result;
#else
  return lut3_two_input<table>(a, b, c);
#endif
}

/// As that of block_words.hpp: a quarter of one block in a word is in place.
PHALANX_INLINE void transpose_dwords(GpuWord* /*x*/) {}

/// PRMT: byte i of the result is that byte of b:a (a is the low half, bytes 0 to 3) which hexadecimal digit i of `selector`
/// names.
template <std::uint32_t selector>
PHALANX_INLINE std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(a, b, selector);
#else
  const std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned from = selector >> (4 * i) & 7;
    result |= static_cast<std::uint32_t>(both >> (8 * from) & 0xff) << (8 * i);
  }
  return result;
#endif
}

template <int count>
PHALANX_INLINE GpuWord rotate_left32(GpuWord a) {
  return {a.bits << count | a.bits >> (32 - count)};
}
template <int count>
PHALANX_INLINE GpuWord shift_left32(GpuWord a) {
  return {a.bits << count};
}

}  // namespace
}  // namespace phalanx
