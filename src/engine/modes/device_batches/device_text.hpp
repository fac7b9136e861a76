// This loads and stores blocks of a text at any address of a GPU's memory. It goes by words of 16 bytes where the text
// is aligned to these, and elsewhere by words of four and single bytes.
#pragma once

#include "engine/lanes/gpu_block.hpp"

namespace phalanx {
namespace {

/// Loads a block from any address. `has_neighbours`: the three bytes before and behind it may be read too.
template <unsigned num_words = 4>
PHALANX_INLINE GpuBlock<num_words> load_anywhere(const std::uint8_t* p, bool has_neighbours) {
#if defined(__CUDA_ARCH__)
  const unsigned shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p) % 4);
  if (shift == 0 || has_neighbours) {
    const auto* const words = reinterpret_cast<const std::uint32_t*>(p - shift);
    std::uint32_t w[num_words + 1];
    for (unsigned i = 0; i < num_words; ++i) w[i] = words[i];
    w[num_words] = shift != 0 ? words[num_words] : 0;
    GpuBlock<num_words> x;
    for (unsigned i = 0; i < num_words; ++i) x.word[i] = __funnelshift_r(w[i], w[i + 1], 8 * shift);
    return x;
  }
#else
  (void)has_neighbours;
#endif
  return load_block<num_words>(p, 0, false);
}

/// Stores a block at any address, and no byte beside it.
template <unsigned num_words>
PHALANX_INLINE void store_anywhere(std::uint8_t* p, GpuBlock<num_words> x) {
#if defined(__CUDA_ARCH__)
  const unsigned shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p) % 4);
  if (shift == 0) {
    for (unsigned i = 0; i < num_words; ++i) reinterpret_cast<std::uint32_t*>(p)[i] = x.word[i];
    return;
  }
  const unsigned head = 4 - shift;  // bytes before the first whole word
  for (unsigned i = 0; i < 3; ++i) {
    if (i < head) p[i] = static_cast<std::uint8_t>(x.word[0] >> (8 * i));
    if (i + 1 < num_words) {
      reinterpret_cast<std::uint32_t*>(p + head)[i] = __funnelshift_r(x.word[i], x.word[(i + 1) % num_words], 8 * head);
    }
    if (i < shift) {
      p[4 * num_words + i - shift] = static_cast<std::uint8_t>(x.word[num_words - 1] >> (8 * (head + i)));
    }
  }
#else
  store_block<num_words>(p, 0, x, false);
#endif
}

/// The first num_bytes of a block, the others zero; and back.
template <unsigned num_words = 4>
PHALANX_INLINE GpuBlock<num_words> load_short(const std::uint8_t* p, unsigned num_bytes) {
  GpuBlock<num_words> x{};
  PHALANX_UNROLL
  for (unsigned i = 0; i < 4 * num_words - 1; ++i) {
    if (i < num_bytes) x.word[i / 4] |= static_cast<std::uint32_t>(p[i]) << i % 4 * 8;
  }
  return x;
}
template <unsigned num_words>
PHALANX_INLINE void store_short(std::uint8_t* p, GpuBlock<num_words> x, unsigned num_bytes) {
  PHALANX_UNROLL
  for (unsigned i = 0; i < 4 * num_words - 1; ++i) {
    if (i < num_bytes) p[i] = static_cast<std::uint8_t>(x.word[i / 4] >> i % 4 * 8);
  }
}

/// Block `block` of a text, padded with zeros; none beyond its end. The whole blocks are num_whole.
struct DeviceText {
  const std::uint8_t* data;
  std::uint64_t num_whole;
  unsigned num_rest;  ///< bytes of the short block behind these
  bool is_aligned;

  PHALANX_INLINE DeviceText(const std::uint8_t* text, std::uint64_t num_bytes)
      : data(text),
        num_whole(num_bytes / 16),
        num_rest(static_cast<unsigned>(num_bytes % 16)),
        is_aligned(phalanx::is_aligned<4>(text)) {}

  PHALANX_INLINE GpuBlock128 load(std::uint64_t block) const {
    if (block < num_whole) {
      if (is_aligned) return load_block<4>(data, block, true);
      return load_anywhere(data + 16 * block, block != 0 && block + 1 < num_whole);
    }
    if (block == num_whole && num_rest != 0) return load_short(data + 16 * block, num_rest);
    return GpuBlock128{};
  }
  /// Stores at `out`, a text of this one's size.
  PHALANX_INLINE void store(std::uint8_t* out, bool out_is_aligned, std::uint64_t block, GpuBlock128 x) const {
    if (block < num_whole) {
      if (out_is_aligned) {
        store_block<4>(out, block, x, true);
      } else {
        store_anywhere(out + 16 * block, x);
      }
    } else if (block == num_whole) {
      store_short(out + 16 * block, x, num_rest);
    }
  }
};

}  // namespace
}  // namespace phalanx
