// What the three ported ciphers share. Each is one struct of tables and key schedule, filled on the CPU, and one function
// that encrypts a block with it: the same C on the CPU and, as section 4.1 has it, in a CUDA thread.
#pragma once

#include <cstdint>

#include "engine/bytes/inline.hpp"

#if defined(__CUDACC__)
#define PORTED __host__ __device__ inline
#else
#define PORTED inline
#endif

namespace papers {

using Word = std::uint32_t;

PORTED Word rotate_left(Word x, int count) { return (x << count) | (x >> (32 - count)); }
PORTED Word byte_of(Word x, int i) { return (x >> (8 * i)) & 0xff; }
PORTED Word swap_bytes(Word x) { return (x >> 24) | ((x >> 8) & 0xff00) | ((x << 8) & 0xff0000) | (x << 24); }

/// Multiplication in GF(2^8) modulo the polynomial.
inline Word field_product(Word a, Word b, Word polynomial) {
  Word product = 0;
  for (; b != 0; b >>= 1, a = (a << 1) ^ ((a & 0x80) != 0 ? polynomial : 0)) {
    if ((b & 1) != 0) product ^= a;
  }
  return product;
}

}  // namespace papers
