// These are XTS's tweaks in the registers of a GPU's thread (IEEE 1619 section 5.2). A tweak is an element of
// GF(2^128), word 0 the least significant, and x^128 = x^7 + x^2 + x + 1.
#pragma once

#include "engine/lanes/gpu_block.hpp"

namespace phalanx {
namespace {

/// Reduces the bits above x^128: a polynomial of degree < 32 times that sum has 39 bits.
PHALANX_INLINE std::uint64_t fold_top(std::uint32_t top) {
  const std::uint64_t t = top;
  return t ^ t << 1 ^ t << 2 ^ t << 7;
}

/// Returns tweak * alpha^32, which is a shift by a word.
PHALANX_INLINE GpuBlock128 times_alpha_32(GpuBlock128 tweak) {
  const std::uint64_t fold = fold_top(tweak.word[3]);
  return {{static_cast<std::uint32_t>(fold), tweak.word[0] ^ static_cast<std::uint32_t>(fold >> 32), tweak.word[1],
           tweak.word[2]}};
}

/// tweak * alpha^count, count < 32.
PHALANX_INLINE GpuBlock128 times_alpha(GpuBlock128 tweak, unsigned count) {
  if (count == 0) return tweak;
  const std::uint64_t fold = fold_top(tweak.word[3] >> (32 - count));
  GpuBlock128 x;
  x.word[0] = tweak.word[0] << count ^ static_cast<std::uint32_t>(fold);
  x.word[1] = (tweak.word[1] << count | tweak.word[0] >> (32 - count)) ^ static_cast<std::uint32_t>(fold >> 32);
  x.word[2] = tweak.word[2] << count | tweak.word[1] >> (32 - count);
  x.word[3] = tweak.word[3] << count | tweak.word[2] >> (32 - count);
  return x;
}

/// One lane's part of tweak * factor: the XOR over the 32 lanes of a warp is the product. Lane l has the coefficients of
/// x^(4 l) to x^(4 l + 3) of the factor.
PHALANX_INLINE GpuBlock128 partial_product(GpuBlock128 tweak, const std::uint32_t factor[4], unsigned lane) {
  GpuBlock128 power = tweak;
  for (unsigned i = 0; i < lane / 8; ++i) power = times_alpha_32(power);
  power = times_alpha(power, lane % 8 * 4);
  const std::uint32_t coefficients = factor[lane / 8] >> (lane % 8 * 4);
  GpuBlock128 part = {};
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t mask = 0 - (coefficients >> i & 1);
    for (unsigned j = 0; j < 4; ++j) part.word[j] ^= power.word[j] & mask;
    power = times_alpha(power, 1);
  }
  return part;
}

/// tweak * factor, where all lanes of the warp have the same tweak; on the host all 32 lanes' parts are computed here.
PHALANX_INLINE GpuBlock128 warp_product(GpuBlock128 tweak, const std::uint32_t factor[4], unsigned lane) {
#if defined(__CUDA_ARCH__)
  GpuBlock128 sum = partial_product(tweak, factor, lane);
  for (unsigned distance = 16; distance != 0; distance /= 2) {
    for (unsigned j = 0; j < 4; ++j) sum.word[j] ^= __shfl_xor_sync(0xffffffffU, sum.word[j], distance);
  }
#else
  (void)lane;
  GpuBlock128 sum = {};
  for (unsigned l = 0; l < 32; ++l) sum = sum ^ partial_product(tweak, factor, l);
#endif
  return sum;
}

}  // namespace
}  // namespace phalanx
