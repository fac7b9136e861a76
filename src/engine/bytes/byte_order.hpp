// Numbers out of bytes in memory and back, and zeros that stay: for kernels and for all else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/bytes/inline.hpp"

namespace phalanx {
namespace {

/// Reverses the bytes of x: big-endian memory becomes a number, and the other way round.
PHALANX_INLINE std::uint64_t reverse_bytes(std::uint64_t x) {
  x = ((x >> 8) & 0x00ff00ff00ff00ffU) | ((x & 0x00ff00ff00ff00ffU) << 8);
  x = ((x >> 16) & 0x0000ffff0000ffffU) | ((x & 0x0000ffff0000ffffU) << 16);
  return (x >> 32) | (x << 32);
}

/// This says whether memory has the highest byte of the machine's own numbers first.
inline constexpr bool machine_is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

/// Memory has the lowest byte of a number first, whatever the machine's own order is.
PHALANX_INLINE std::uint64_t load_u64(const void* p) {
  std::uint64_t x;
  std::memcpy(&x, p, sizeof x);
  if constexpr (machine_is_big_endian) x = reverse_bytes(x);
  return x;
}
PHALANX_INLINE std::uint32_t load_u32(const void* p) {
  std::uint32_t x;
  std::memcpy(&x, p, sizeof x);
  if constexpr (machine_is_big_endian) x = static_cast<std::uint32_t>(reverse_bytes(x) >> 32);
  return x;
}
PHALANX_INLINE void store_u64(void* p, std::uint64_t x) {
  if constexpr (machine_is_big_endian) x = reverse_bytes(x);
  std::memcpy(p, &x, sizeof x);
}
PHALANX_INLINE void store_u32(void* p, std::uint32_t x) {
  if constexpr (machine_is_big_endian) x = static_cast<std::uint32_t>(reverse_bytes(x) >> 32);
  std::memcpy(p, &x, sizeof x);
}

#if !defined(__CUDACC__)  // device code has no vectors of the compiler
/// Two numbers that are stored and loaded as one: a 16-byte load waits for two 8-byte stores to reach the cache.
using Pair64 = std::uint64_t __attribute__((vector_size(16)));
PHALANX_INLINE Pair64 load_pair(const void* p) {
  Pair64 x;
  std::memcpy(&x, p, sizeof x);
  if constexpr (machine_is_big_endian) x = Pair64{reverse_bytes(x[0]), reverse_bytes(x[1])};
  return x;
}
PHALANX_INLINE void store_pair(void* p, Pair64 x) {
  if constexpr (machine_is_big_endian) x = Pair64{reverse_bytes(x[0]), reverse_bytes(x[1])};
  std::memcpy(p, &x, sizeof x);
}
#endif

/// Zeros that the optimiser may not leave out.
PHALANX_INLINE void wipe(void* p, std::size_t num_bytes) {
  std::memset(p, 0, num_bytes);
#if defined(__CUDA_ARCH__)
  asm volatile("" : : "l"(p) : "memory");
#else
  __asm__ volatile("" : : "r"(p) : "memory");
#endif
}

}  // namespace
}  // namespace phalanx
