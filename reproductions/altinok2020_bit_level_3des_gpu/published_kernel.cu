#include "reproductions/altinok2020_bit_level_3des_gpu/published_kernel.hpp"

namespace papers::altinok2020 {
namespace {

// A block's bits and the round's, a char each.
struct PublishedBits {
  char halves[64];
  char round[48];
};

// Eight threads, one a box. They read six chars each of the array into which they write four each, with no barrier between:
// right as long as the eight of a warp go in step, as the authors' code relies on.
__device__ void substitute_in_place(const Fips46Tables* __restrict__ tables, char* round, int box) {
  const char* const six = round + 6 * box;
  const int row = 2 * six[0] + six[5];
  const int column = 8 * six[1] + 4 * six[2] + 2 * six[3] + six[4];
  const int value = tables->S[box][row][column];
  for (int bit = 0; bit < 4; ++bit) round[4 * box + bit] = static_cast<char>(value >> (3 - bit) & 1);
}

__global__ void published_kernel(const Fips46Tables* __restrict__ tables, const char* __restrict__ round_keys,
                                 const char* __restrict__ plain, char* __restrict__ crypted) {
  __shared__ PublishedBits bits;
  const int thread = static_cast<int>(threadIdx.x);
  const size_t block = static_cast<size_t>(bits_per_block) * blockIdx.x;
  bits.halves[thread] = plain[block + tables->IP[thread] - 1];
  __syncthreads();
#pragma unroll
  for (int round = 0; round < 16; ++round) {
    if (thread < bits_per_round_key) {
      const char key = round_keys[bits_per_round_key * round + thread];
      bits.round[thread] = static_cast<char>(key ^ bits.halves[32 + tables->E[thread] - 1]);
    }
    __syncthreads();
    if (thread < 8) substitute_in_place(tables, bits.round, thread);
    __syncthreads();
    if (thread < 32) {  // P, the left half, and the change of places, which the last round leaves out
      const char mixed = static_cast<char>(bits.halves[thread] ^ bits.round[tables->P[thread] - 1]);
      const bool last = round == 15;
      bits.halves[thread] = last ? mixed : bits.halves[32 + thread];
      if (!last) bits.halves[32 + thread] = mixed;
    }
    __syncthreads();
  }
  crypted[block + thread] = bits.halves[tables->IP_inverse[thread] - 1];
}

}  // namespace

void launch_published_kernel(const Fips46Tables* tables, const char* round_keys, const char* plain, char* crypted,
                             unsigned num_blocks) {
  published_kernel<<<num_blocks, bits_per_block>>>(tables, round_keys, plain, crypted);
}

}  // namespace papers::altinok2020
