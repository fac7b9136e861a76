// Twofish's permutations in plain numbers, a byte at a time: for one block where there are no byte shuffles.
#pragma once

#include "engine/ciphers/twofish/twofish_block.hpp"

namespace phalanx {
namespace {

/// Bytes (twofish_key.hpp), one number each: a four-bit box is a 64-bit constant from which its entry is shifted out. (The
/// time that a 64-bit processor takes to shift does not depend on the count.)
struct TwofishNumbers {
  using Byte = std::uint32_t;
  using Mixed = std::uint32_t;

  static constexpr std::uint64_t packed(const std::uint8_t t[16]) {
    std::uint64_t entries = 0;
    for (unsigned x = 0; x < 16; ++x) entries |= std::uint64_t{t[x]} << (4 * x);
    return entries;
  }
  template <unsigned q, unsigned t>
  static PHALANX_INLINE std::uint32_t box(std::uint32_t x) {
    constexpr std::uint64_t entries = packed(twofish_t[q][t]);
    return static_cast<std::uint32_t>(entries >> (4 * x)) & 15;
  }

  static PHALANX_INLINE std::uint32_t begin(std::uint32_t x) { return x; }
  template <unsigned q>
  static PHALANX_INLINE std::uint32_t permutation(std::uint32_t x) {
    const std::uint32_t a0 = x >> 4;
    const std::uint32_t b0 = x & 15;
    const std::uint32_t a2 = box<q, 0>(twofish_mixed_a(a0, b0));
    const std::uint32_t b2 = box<q, 1>(twofish_mixed_b(a0, b0));
    return box<q, 2>(twofish_mixed_a(a2, b2)) | box<q, 3>(twofish_mixed_b(a2, b2)) << 4;
  }
  template <unsigned q>
  static PHALANX_INLINE void permute(std::uint32_t& x, std::uint32_t& y) {
    x = permutation<q>(x);
    y = permutation<q>(y);
  }
  static PHALANX_INLINE std::uint32_t divide_by_x(std::uint32_t y) { return y >> 1 ^ (twofish_v >> 1 & (0 - (y & 1))); }
  template <unsigned q>
  static PHALANX_INLINE TwofishProducts<std::uint32_t> finish(std::uint32_t x) {
    const std::uint32_t y = permutation<q>(x);
    const std::uint32_t half = divide_by_x(y);
    const std::uint32_t y_5b = y ^ divide_by_x(half);
    return {y, y_5b, y_5b ^ half};
  }
};

/// g for two words at once (twofish_block.hpp).
struct TwofishNumberBoxes {
  const TwofishKey& key;
  unsigned num_layers;

  PHALANX_INLINE std::uint32_t layer(std::size_t l, std::size_t column) const { return key.L[l] >> (8 * column) & 255; }
  std::uint32_t g_of_word(std::uint32_t x) const {
    const std::uint32_t bytes[4] = {x & 255, x >> 8 & 255, x >> 16 & 255, x >> 24};
    TwofishProducts<std::uint32_t> p[4];
    twofish_substitute<TwofishNumbers>(bytes, *this, p);
    std::uint32_t z[4];
    twofish_mds(p, z);
    return z[0] | z[1] << 8 | z[2] << 16 | z[3] << 24;
  }
  std::uint64_t g(std::uint64_t x) const {
    return g_of_word(static_cast<std::uint32_t>(x)) | std::uint64_t{g_of_word(static_cast<std::uint32_t>(x >> 32))} << 32;
  }
};

}  // namespace
}  // namespace phalanx
