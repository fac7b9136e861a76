// Blocks of several messages, in vectors: from a vector of consecutive blocks of each message to vectors that hold a block
// of every message, and back.
#pragma once

#include "engine/lanes/lane_word.hpp"

namespace phalanx {
namespace {

/// Transposes the square matrix that the 128-bit elements of sizeof(Vector) / 16 vectors make.
template <class Vector>
PHALANX_INLINE void transpose_elements128(Vector* x) {
  if constexpr (sizeof(Vector) == 64) {
    const Vector low01 = shuffle128<0x44>(x[0], x[1]);
    const Vector high01 = shuffle128<0xee>(x[0], x[1]);
    const Vector low23 = shuffle128<0x44>(x[2], x[3]);
    const Vector high23 = shuffle128<0xee>(x[2], x[3]);
    x[0] = shuffle128<0x88>(low01, low23);
    x[1] = shuffle128<0xdd>(low01, low23);
    x[2] = shuffle128<0x88>(high01, high23);
    x[3] = shuffle128<0xdd>(high01, high23);
  } else if constexpr (sizeof(Vector) == 32) {
    const Vector low = unpack_low128(x[0], x[1]);
    x[1] = unpack_high128(x[0], x[1]);
    x[0] = low;
  }
}

/// Block j of x[i] and block i of x[j] change places, for all of sizeof(Vector) / block_bytes vectors.
template <std::size_t block_bytes, class Vector>
PHALANX_INLINE void transpose_blocks(Vector* x) {
  if constexpr (block_bytes == 16) {
    transpose_elements128(x);
  } else {
    constexpr std::size_t half = sizeof(Vector) / 16;
    Vector even[half];
    Vector odd[half];
    for (std::size_t i = 0; i < half; ++i) {
      even[i] = unpack_low64(x[2 * i], x[2 * i + 1]);
      odd[i] = unpack_high64(x[2 * i], x[2 * i + 1]);
    }
    transpose_elements128(even);
    transpose_elements128(odd);
    for (std::size_t i = 0; i < half; ++i) {
      x[2 * i] = even[i];
      x[2 * i + 1] = odd[i];
    }
  }
}

}  // namespace
}  // namespace phalanx
