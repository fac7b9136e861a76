// In place of engine/lanes/word_avx512_half.hpp where transposes are recorded: the names that engine/lanes/transpose_avx512.hpp uses, as
// moves of bits, from the instructions' definitions in the Intel SDM volume 2.
#pragma once

#include "recorded_std.hpp"

namespace phalanx {
namespace {

template <std::size_t num_bytes>
struct ByteVector {
  std::uint8_t byte[num_bytes];

  ByteVector() = default;
  ByteVector(const ByteVector& other) { std::memcpy(byte, other.byte, num_bytes); }
  ByteVector& operator=(const ByteVector& other) {
    std::memcpy(byte, other.byte, num_bytes);
    return *this;
  }
  ~ByteVector() { ::prove::forget_memory(byte, num_bytes); }

  static ByteVector load(const void* p) {
    ByteVector v;
    std::memcpy(v.byte, p, num_bytes);
    return v;
  }
  void store(void* p) const { std::memcpy(p, byte, num_bytes); }

  /// VPSHUFB of known indices: byte i of each 128-bit element becomes byte (index i mod 16) of it, or 0.
  friend ByteVector shuffle_bytes(const ByteVector& v, const ByteVector& index) {
    ByteVector r;
    for (std::size_t i = 0; i < num_bytes; ++i) {
      if ((index.byte[i] & 0x80) != 0) {
        std::memset(r.byte + i, 0, 1);
      } else {
        std::memcpy(r.byte + i, v.byte + (i & 48) + (index.byte[i] & 15), 1);
      }
    }
    return r;
  }
  /// b where the mask has a one.
  friend ByteVector blend_bytes(std::uint64_t mask, const ByteVector& a, const ByteVector& b) {
    ByteVector r = a;
    for (std::size_t i = 0; i < num_bytes; ++i) {
      if ((mask.known() >> i & 1) != 0) std::memcpy(r.byte + i, b.byte + i, 1);
    }
    return r;
  }
  friend ByteVector shuffle_bytes_where(std::uint64_t mask, const ByteVector& v, const ByteVector& index,
                                        const ByteVector& otherwise) {
    return blend_bytes(mask, otherwise, shuffle_bytes(v, index));
  }
  /// GF2P8AFFINEQB: bit i of a byte becomes the parity of the byte and byte 7 - i of its 64-bit element of the matrix.
  friend ByteVector affine(const ByteVector& v, const ByteVector& matrix) {
    ByteVector r;
    for (std::size_t i = 0; i < num_bytes; ++i) {
      const ::prove::Signals x = ::prove::read_memory(v.byte + i, 1);
      ::prove::Signals y;
      for (std::size_t bit = 0; bit < 8; ++bit) {
        const ::prove::Signals row = ::prove::read_memory(matrix.byte + (i & 56) + 7 - bit, 1);
        ::prove::Literal parity = ::prove::zero;
        for (std::size_t k = 0; k < 8; ++k) parity = ::prove::graph().xor_of(parity, ::prove::graph().and_of(row[k], x[k]));
        y.push_back(parity);
      }
      ::prove::write_memory(r.byte + i, y);
    }
    return r;
  }
};

using Word512 = ByteVector<64>;
using HalfWord512 = ByteVector<32>;

template <int count, std::size_t num_bytes>
ByteVector<num_bytes> rotate_left32(const ByteVector<num_bytes>& a) {
  ByteVector<num_bytes> r;
  for (std::size_t i = 0; i < num_bytes; i += 4) {
    const std::uint32_t x = load_u32(a.byte + i);
    store_u32(r.byte + i, x << count | x >> (32 - count));
  }
  return r;
}

}  // namespace
}  // namespace phalanx
