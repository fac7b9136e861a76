// The powers of a hash subkey, which every way to hash in many threads needs.
#pragma once

#include "engine/modes/ghash_tables.hpp"

namespace phalanx {
namespace {

// powers[i] = base^(i + 1) for i < num_powers, by all threads of the CUDA block: the powers known so far, times the last of
// them.
__device__ void fill_powers(GhashElement* powers, GhashElement base, unsigned num_powers) {
  if (threadIdx.x == 0) powers[0] = base;
  for (unsigned num_known = 1; num_known < num_powers; num_known *= 2) {
    __syncthreads();
    const GhashElement step = powers[num_known - 1];
    for (unsigned i = threadIdx.x; i < num_known && num_known + i < num_powers; i += blockDim.x) {
      powers[num_known + i] = ghash_multiply(powers[i], step);
    }
  }
  __syncthreads();
}

}  // namespace
}  // namespace phalanx
