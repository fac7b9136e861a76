// Blocks in the registers of a GPU's thread, and what the modes make themselves: counters and tweaks.
#pragma once

#include "lanes/word_gpu.hpp"

namespace phalanx {
namespace {

/// A block of 4 * num_words bytes as memory has it, in little-endian words.
template <unsigned num_words>
struct GpuBlock {
  std::uint32_t word[num_words];

  friend PHALANX_INLINE GpuBlock operator^(GpuBlock a, GpuBlock b) {
    GpuBlock x;
    for (unsigned i = 0; i < num_words; ++i) x.word[i] = a.word[i] ^ b.word[i];
    return x;
  }
};

using GpuBlock64 = GpuBlock<2>;
using GpuBlock128 = GpuBlock<4>;

template <unsigned num_words>
PHALANX_INLINE bool is_aligned(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p) % (4 * num_words) == 0;
}

/// Loads block `index` of `base`, in one access if `aligned` (is_aligned(base), taken once).
template <unsigned num_words>
PHALANX_INLINE GpuBlock<num_words> load_block(const std::uint8_t* base, std::uint64_t index, bool aligned) {
  const std::uint8_t* const p = base + index * (4 * num_words);
  GpuBlock<num_words> x;
#if defined(__CUDA_ARCH__)
  if (aligned) {
    if constexpr (num_words == 2) {
      const uint2 v = *reinterpret_cast<const uint2*>(p);
      return {{v.x, v.y}};
    } else {
      const uint4 v = *reinterpret_cast<const uint4*>(p);
      return {{v.x, v.y, v.z, v.w}};
    }
  }
  for (unsigned i = 0; i < num_words; ++i) {
    const std::uint8_t* const q = p + 4 * i;
    x.word[i] = q[0] | q[1] << 8 | q[2] << 16 | static_cast<std::uint32_t>(q[3]) << 24;
  }
#else
  (void)aligned;
  std::memcpy(x.word, p, sizeof x.word);
#endif
  return x;
}

template <unsigned num_words>
PHALANX_INLINE void store_block(std::uint8_t* base, std::uint64_t index, GpuBlock<num_words> x, bool aligned) {
  std::uint8_t* const p = base + index * (4 * num_words);
#if defined(__CUDA_ARCH__)
  if (aligned) {
    if constexpr (num_words == 2) {
      *reinterpret_cast<uint2*>(p) = make_uint2(x.word[0], x.word[1]);
    } else {
      *reinterpret_cast<uint4*>(p) = make_uint4(x.word[0], x.word[1], x.word[2], x.word[3]);
    }
    return;
  }
  for (unsigned i = 0; i < 4 * num_words; ++i) p[i] = static_cast<std::uint8_t>(x.word[i / 4] >> (i % 4 * 8));
#else
  (void)aligned;
  std::memcpy(p, x.word, sizeof x.word);
#endif
}

PHALANX_INLINE std::uint32_t reverse_bytes32(std::uint32_t x) { return permute_bytes<0x0123>(x, 0); }

/// The big-endian counter block of the number high:low (64-bit blocks: low alone).
template <unsigned num_words>
PHALANX_INLINE GpuBlock<num_words> counter_block(std::uint64_t high, std::uint64_t low) {
  GpuBlock<num_words> x;
  x.word[num_words - 1] = reverse_bytes32(static_cast<std::uint32_t>(low));
  x.word[num_words - 2] = reverse_bytes32(static_cast<std::uint32_t>(low >> 32));
  if constexpr (num_words == 4) {
    x.word[1] = reverse_bytes32(static_cast<std::uint32_t>(high));
    x.word[0] = reverse_bytes32(static_cast<std::uint32_t>(high >> 32));
  }
  return x;
}

// XTS (IEEE 1619 section 5.2): a tweak is an element of GF(2^128), word 0 the least significant; x^128 = x^7 + x^2 + x + 1.

/// What the bits above x^128 become: a polynomial of degree < 32 times that sum, 39 bits.
PHALANX_INLINE std::uint64_t fold_top(std::uint32_t top) {
  const std::uint64_t t = top;
  return t ^ t << 1 ^ t << 2 ^ t << 7;
}

/// tweak * alpha^32: a shift by a word.
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
