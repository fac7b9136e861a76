#include <cuda_runtime_api.h>

#include "reproductions/altinok2020_bit_level_3des_gpu/bit_level_kernels.hpp"

namespace papers::altinok2020 {
namespace {

// Section IV-C: the shift table is in constant memory, since all threads read the same entry at the same time. (Its values
// are those of fips46_tables, which the host's side checks.)
__constant__ int shift_keys[16] = {1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1};

// Section IV-C: all other tables and the round keys go through the read-only cache, since every thread reads another entry.
// FIPS 46-3 counts bits from 1.
__device__ int source_bit(const unsigned char* table, int bit) { return __ldg(table + bit) - 1; }

// A circular left shift of 28 chars by one thread.
__device__ void rotate_left(char* half, int count) {
  for (int i = 0; i < count; ++i) {
    const char first = half[0];
    for (int bit = 0; bit < 27; ++bit) half[bit] = half[bit + 1];
    half[27] = first;
  }
}

// Figure 2. One block of 56 threads for each base key.
__global__ void key_kernel(const Fips46Tables* __restrict__ tables, const char* __restrict__ base_keys,
                           char* __restrict__ round_keys) {
  __shared__ char permuted[56];
  __shared__ char halves[56];  // the left one, then the right one
  const int thread = static_cast<int>(threadIdx.x);
  const char* const base_key = base_keys + 64 * blockIdx.x;
  char* round_key = round_keys + round_key_chars * blockIdx.x;

  permuted[thread] = base_key[source_bit(tables->PC_1, thread)];
  __syncthreads();
  if (thread == 0) {  // one thread splits the key
    char* const left = halves;
    char* const right = halves + 28;
    for (int bit = 0; bit < 28; ++bit) {
      left[bit] = permuted[bit];
      right[bit] = permuted[28 + bit];
    }
  }
  __syncthreads();
  for (int round = 0; round < 16; ++round, round_key += bits_per_round_key) {
    if (thread < 2) rotate_left(halves + 28 * thread, shift_keys[round]);  // two threads, one a half
    __syncthreads();
    if (thread < bits_per_round_key) round_key[thread] = halves[source_bit(tables->PC_2, thread)];
    __syncthreads();
  }
}

// The arrays of a block's 64 threads, a char for each bit.
struct BlockBits {
  char text[64];
  char permuted[64];
  char left[32];
  char right[32];
  char expanded[48];
  char substituted[32];
  char mixed[32];  // left XOR P(substituted)
  char s_box_value[8];
};

// Four threads a group: the first of them looks the group's six bits up, then each writes one bit of what was found.
__device__ void substitute(const Fips46Tables* __restrict__ tables, BlockBits& bits, int thread) {
  const int group = thread / 4;
  if (thread < 32 && thread % 4 == 0) {
    const char* const six = bits.expanded + 6 * group;
    const int row = 2 * six[0] + six[5];
    const int column = 8 * six[1] + 4 * six[2] + 2 * six[3] + six[4];
    bits.s_box_value[group] = static_cast<char>(__ldg(&tables->S[group][row][column]));
  }
  __syncthreads();
  if (thread < 32) bits.substituted[thread] = static_cast<char>(bits.s_box_value[group] >> (3 - thread % 4) & 1);
  __syncthreads();
}

__device__ void do_round(const Fips46Tables* __restrict__ tables, const char* __restrict__ round_key, BlockBits& bits,
                         int thread) {
  if (thread < bits_per_round_key)  // 48 threads expand the right half, and add the key
    bits.expanded[thread] = static_cast<char>(bits.right[source_bit(tables->E, thread)] ^ __ldg(round_key + thread));
  __syncthreads();
  substitute(tables, bits, thread);
  if (thread < 32)
    bits.mixed[thread] = static_cast<char>(bits.left[thread] ^ bits.substituted[source_bit(tables->P, thread)]);
  __syncthreads();
  if (thread < 32) {  // the halves change places
    bits.left[thread] = bits.right[thread];
    bits.right[thread] = bits.mixed[thread];
  }
  __syncthreads();
}

// Figure 3. One block of 64 threads for each block of text.
__global__ void cipher_kernel(const Fips46Tables* __restrict__ tables, const char* __restrict__ round_keys, Mode mode,
                              char* text) {
  __shared__ BlockBits bits;
  const int thread = static_cast<int>(threadIdx.x);
  char* const block = text + static_cast<size_t>(bits_per_block) * blockIdx.x;

  bits.text[thread] = block[thread];
  __syncthreads();
  bits.permuted[thread] = bits.text[source_bit(tables->IP, thread)];
  __syncthreads();
  if (thread == 0) {  // one thread splits the block
    for (int bit = 0; bit < 32; ++bit) {
      bits.left[bit] = bits.permuted[bit];
      bits.right[bit] = bits.permuted[32 + bit];
    }
  }
  __syncthreads();
  for (int round = 0; round < 16; ++round) {
    const int key = mode == Mode::encryption ? round : 15 - round;
    do_round(tables, round_keys + bits_per_round_key * key, bits, thread);
  }
  // The preoutput block is R16 L16: the last round changed the halves' places once too often.
  bits.text[thread] = thread < 32 ? bits.right[thread] : bits.left[thread - 32];
  __syncthreads();
  block[thread] = bits.text[source_bit(tables->IP_inverse, thread)];
}

}  // namespace

void launch_key_kernel(const Fips46Tables* tables, const char* base_keys, char* round_keys) {
  key_kernel<<<num_base_keys, 56>>>(tables, base_keys, round_keys);
}

void launch_cipher_kernel(const Fips46Tables* tables, const char* round_keys, Mode mode, char* text, unsigned num_blocks) {
  cipher_kernel<<<num_blocks, bits_per_block>>>(tables, round_keys, mode, text);
}

CipherKernelLimits cipher_kernel_limits() {
  cudaFuncAttributes attributes{};
  cudaFuncGetAttributes(&attributes, cipher_kernel);
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, cipher_kernel, bits_per_block, 0);
  int highest_threads = 0;
  int device = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&highest_threads, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  return {attributes.numRegs, static_cast<int>(attributes.sharedSizeBytes), blocks, blocks * bits_per_block / 32,
          highest_threads / 32};
}

}  // namespace papers::altinok2020
