// In place of engine/lanes/word_avx2.hpp where transposes are recorded: the names that engine/lanes/transpose_avx2.hpp uses, as moves of
// bits, from the instructions' definitions in the Intel SDM volume 2.
#pragma once

#include "recorded_std.hpp"

namespace phalanx {
namespace {

struct __m256i {  // NOLINT: transpose_avx2.hpp calls it so
  std::uint8_t byte[32];

  __m256i() = default;
  __m256i(const __m256i& other) { std::memcpy(byte, other.byte, sizeof byte); }
  __m256i& operator=(const __m256i& other) {
    std::memcpy(byte, other.byte, sizeof byte);
    return *this;
  }
  ~__m256i() { ::prove::forget_memory(byte, sizeof byte); }
};

/// VPUNPCKL and VPUNPCKH: in each 128-bit element, the items of the low or high half of a and of b by turns.
template <unsigned item_bytes, unsigned from>
__m256i unpack(const __m256i& a, const __m256i& b) {
  __m256i r;
  for (unsigned element = 0; element < 32; element += 16) {
    for (unsigned i = 0; i < 8; i += item_bytes) {
      std::memcpy(r.byte + element + 2 * i, a.byte + element + from + i, item_bytes);
      std::memcpy(r.byte + element + 2 * i + item_bytes, b.byte + element + from + i, item_bytes);
    }
  }
  return r;
}
inline __m256i _mm256_unpacklo_epi8(const __m256i& a, const __m256i& b) { return unpack<1, 0>(a, b); }
inline __m256i _mm256_unpackhi_epi8(const __m256i& a, const __m256i& b) { return unpack<1, 8>(a, b); }
inline __m256i _mm256_unpacklo_epi16(const __m256i& a, const __m256i& b) { return unpack<2, 0>(a, b); }
inline __m256i _mm256_unpackhi_epi16(const __m256i& a, const __m256i& b) { return unpack<2, 8>(a, b); }
inline __m256i _mm256_unpacklo_epi32(const __m256i& a, const __m256i& b) { return unpack<4, 0>(a, b); }
inline __m256i _mm256_unpackhi_epi32(const __m256i& a, const __m256i& b) { return unpack<4, 8>(a, b); }
inline __m256i _mm256_unpacklo_epi64(const __m256i& a, const __m256i& b) { return unpack<8, 0>(a, b); }
inline __m256i _mm256_unpackhi_epi64(const __m256i& a, const __m256i& b) { return unpack<8, 8>(a, b); }

template <class Operation>
__m256i on_elements64(const __m256i& a, const __m256i& b, Operation operation) {
  __m256i r;
  for (unsigned i = 0; i < 32; i += 8) store_u64(r.byte + i, operation(load_u64(a.byte + i), load_u64(b.byte + i)));
  return r;
}
inline __m256i _mm256_srli_epi64(const __m256i& a, int count) {
  return on_elements64(a, a, [count](std::uint64_t x, std::uint64_t) { return x >> count; });
}
inline __m256i _mm256_slli_epi64(const __m256i& a, int count) {
  return on_elements64(a, a, [count](std::uint64_t x, std::uint64_t) { return x << count; });
}

struct Word256 {
  __m256i bits;

  static Word256 load(const void* p) {
    Word256 w;
    std::memcpy(w.bits.byte, p, sizeof w.bits.byte);
    return w;
  }
  void store(void* p) const { std::memcpy(p, bits.byte, sizeof bits.byte); }
  static Word256 broadcast8(std::uint8_t x) {
    Word256 w;
    std::memset(w.bits.byte, x, sizeof w.bits.byte);
    return w;
  }
  friend Word256 operator&(const Word256& a, const Word256& b) {
    return {on_elements64(a.bits, b.bits, [](std::uint64_t x, std::uint64_t y) { return x & y; })};
  }
  friend Word256 operator^(const Word256& a, const Word256& b) {
    return {on_elements64(a.bits, b.bits, [](std::uint64_t x, std::uint64_t y) { return x ^ y; })};
  }
};

}  // namespace
}  // namespace phalanx
