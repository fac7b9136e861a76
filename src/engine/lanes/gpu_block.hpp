// Blocks in the registers of a GPU's thread, and big-endian counters.
#pragma once

#include "engine/lanes/word_gpu.hpp"

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

}  // namespace
}  // namespace phalanx
