// These are blocks of 16 bytes that memory has only the first bytes of. The addresses that are used depend on the
// number of these bytes alone.
#pragma once

#include "engine/lanes/lane_word.hpp"

namespace phalanx {
namespace {

/// The num_bytes bytes at p, 1 to 16, and zeros: by loads that overlap. If the bytes were copied to a block in memory, its
/// load would wait until they have reached the cache.
PHALANX_INLINE Pair64 load_short_block(const std::uint8_t* p, std::size_t num_bytes) {
  if (num_bytes == 16) return load_pair(p);
  if (num_bytes >= 8) return Pair64{load_u64(p), load_u64(p + num_bytes - 8) >> 1 >> (127 - 8 * num_bytes)};
  if (num_bytes >= 4) return Pair64{load_u32(p) | std::uint64_t{load_u32(p + num_bytes - 4)} << 8 * (num_bytes - 4), 0};
  const std::size_t middle = num_bytes / 2;
  const std::size_t last = num_bytes - 1;
  return Pair64{p[0] | std::uint64_t{p[middle]} << 8 * middle | std::uint64_t{p[last]} << 8 * last, 0};
}

/// Writes the first num_bytes bytes of x, 1 to 16.
PHALANX_INLINE void store_short_block(std::uint8_t* p, Pair64 x, std::size_t num_bytes) {
  if (num_bytes == 16) return store_pair(p, x);
  if (num_bytes >= 8) {
    store_u64(p, x[0]);
    return store_u64(p + num_bytes - 8, x[1] << 1 << (127 - 8 * num_bytes) | x[0] >> 8 * (num_bytes - 8));
  }
  if (num_bytes >= 4) {
    store_u32(p, static_cast<std::uint32_t>(x[0]));
    return store_u32(p + num_bytes - 4, static_cast<std::uint32_t>(x[0] >> 8 * (num_bytes - 4)));
  }
  const std::size_t middle = num_bytes / 2;
  const std::size_t last = num_bytes - 1;
  p[0] = static_cast<std::uint8_t>(x[0]);
  p[middle] = static_cast<std::uint8_t>(x[0] >> 8 * middle);
  p[last] = static_cast<std::uint8_t>(x[0] >> 8 * last);
}

/// Keeps the first num_bytes bytes of x, 1 to 16, and makes the others zeros.
PHALANX_INLINE Pair64 keep_first_bytes(Pair64 x, std::size_t num_bytes) {
  const std::uint64_t all = ~std::uint64_t{0};
  if (num_bytes <= 8) return Pair64{x[0] & all >> (64 - 8 * num_bytes), 0};
  return Pair64{x[0], x[1] & all >> (128 - 8 * num_bytes)};
}

}  // namespace
}  // namespace phalanx
