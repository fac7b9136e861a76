// The names of engine/lanes/word_avx512_half.hpp in plain C++: the low half of what avx512_emulation.hpp computes.
#pragma once

#include "avx512_emulation.hpp"

namespace phalanx {
namespace {

struct HalfWord512 {
  std::uint8_t byte[32];

  static PHALANX_INLINE HalfWord512 load(const void* p) {
    HalfWord512 r;
    std::memcpy(r.byte, p, 32);
    return r;
  }
  PHALANX_INLINE void store(void* p) const { std::memcpy(p, byte, 32); }
  static HalfWord512 load_first(const void* p, std::size_t num_bytes) {
    HalfWord512 r{};
    std::memcpy(r.byte, p, num_bytes);
    return r;
  }
  void store_first(void* p, std::size_t num_bytes) const { std::memcpy(p, byte, num_bytes); }

  static PHALANX_INLINE HalfWord512 low_half(Word512 a) { return load(a.byte); }
  PHALANX_INLINE Word512 twice() const {
    Word512 r;
    std::memcpy(r.byte, byte, 32);
    std::memcpy(r.byte + 32, byte, 32);
    return r;
  }

  static HalfWord512 high_half(Word512 a) { return load(a.byte + 32); }
  friend inline Word512 join_halves(HalfWord512 low, HalfWord512 high) {
    return shuffle128<0x44>(low.twice(), high.twice());
  }
  friend inline Word128 first128(HalfWord512 a) { return first128(a.twice()); }
  static HalfWord512 broadcast32(std::uint32_t x) { return low_half(Word512::broadcast32(x)); }
  static HalfWord512 broadcast64(std::uint64_t x) { return low_half(Word512::broadcast64(x)); }
  friend inline HalfWord512 operator&(HalfWord512 a, HalfWord512 b) { return low_half(a.twice() & b.twice()); }
  friend inline HalfWord512 operator^(HalfWord512 a, HalfWord512 b) { return low_half(a.twice() ^ b.twice()); }
  friend inline HalfWord512 shuffle_bytes(HalfWord512 v, HalfWord512 index) {
    return low_half(shuffle_bytes(v.twice(), index.twice()));
  }
  friend inline HalfWord512 shuffle_bytes_where(std::uint64_t mask, HalfWord512 v, HalfWord512 index,
                                                HalfWord512 otherwise) {
    return low_half(shuffle_bytes_where(mask, v.twice(), index.twice(), otherwise.twice()));
  }
  friend inline HalfWord512 blend_bytes(std::uint64_t mask, HalfWord512 a, HalfWord512 b) {
    return low_half(blend_bytes(mask, a.twice(), b.twice()));
  }
  friend inline HalfWord512 unpack_low32(HalfWord512 a, HalfWord512 b) {
    return low_half(unpack_low32(a.twice(), b.twice()));
  }
  friend inline HalfWord512 unpack_high32(HalfWord512 a, HalfWord512 b) {
    return low_half(unpack_high32(a.twice(), b.twice()));
  }
  friend inline HalfWord512 unpack_low64(HalfWord512 a, HalfWord512 b) {
    return low_half(unpack_low64(a.twice(), b.twice()));
  }
  friend inline HalfWord512 unpack_high64(HalfWord512 a, HalfWord512 b) {
    return low_half(unpack_high64(a.twice(), b.twice()));
  }
  friend inline HalfWord512 affine(HalfWord512 v, HalfWord512 matrix) { return low_half(affine(v.twice(), matrix.twice())); }
};

template <std::uint8_t table>
inline HalfWord512 lut3(HalfWord512 a, HalfWord512 b, HalfWord512 c) {
  return HalfWord512::low_half(lut3<table>(a.twice(), b.twice(), c.twice()));
}
template <int count>
inline HalfWord512 rotate_left32(HalfWord512 a) {
  return HalfWord512::low_half(rotate_left32<count>(a.twice()));
}
template <int count>
inline HalfWord512 shift_left32(HalfWord512 a) {
  return HalfWord512::low_half(shift_left32<count>(a.twice()));
}

}  // namespace
}  // namespace phalanx
