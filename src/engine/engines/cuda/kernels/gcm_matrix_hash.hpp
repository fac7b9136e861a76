// The hashes of a batch of GCM messages by products of binary matrices (ghash_matrices.hpp): a warp hashes a message as 16
// streams. A step is 32 blocks: y = y * H^32 + (the first 16) * H^16 + (the last 16), in each stream; at the end, stream r
// counts H^(16 - r) times. Only nvcc reads this file.
#pragma once

#include "engine/modes/device_batches/gcm_hash_steps.hpp"
#include "engine/modes/device_batches/ghash_matrices.hpp"

/// Whether the code that is being compiled has these products. Compute capability 7.5 has smaller ones alone; later ones
/// than 9.0 were not looked at.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 1000
#define PHALANX_HAS_BIT_MATRICES 1
#else
#define PHALANX_HAS_BIT_MATRICES 0
#endif

namespace phalanx {
namespace {

/// The same of DeviceLimits::code_version.
constexpr bool has_bit_matrices(unsigned code_version) { return code_version >= 80 && code_version < 100; }

/// A lane's parts of the matrices of H^16 and H^32.
struct GcmRowMatrices {
  GhashMatrix by_16, by_32;
};

/// element^(2^count)
__device__ __forceinline__ GhashElement square_repeatedly(GhashElement element, unsigned count) {
  PHALANX_NO_UNROLL
  for (; count != 0; --count) element = ghash_square(element);
  return element;
}

__device__ __forceinline__ void multiply_bit_matrices(const std::uint32_t rows[4], std::uint32_t first, std::uint32_t second,
                                                      std::uint32_t counts[4]) {
#if PHALANX_HAS_BIT_MATRICES
  asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%10, %10, %10, %10};"
      : "=r"(counts[0]), "=r"(counts[1]), "=r"(counts[2]), "=r"(counts[3])
      : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(first), "r"(second), "r"(0));
#else
  (void)rows, (void)first, (void)second, (void)counts;
  __trap();
#endif
}

/// x[0] and x[1] are the first 128 bits of the lane's rows, x[2] and x[3] the others.
__device__ __forceinline__ GhashRows multiply_rows(const std::uint32_t x[4], const GhashMatrix& first,
                                                   const GhashMatrix& second) {
  return ghash_matrix_product([&](unsigned tile, std::uint32_t counts[4]) {
    multiply_bit_matrices(x, first.tile[tile], second.tile[tile], counts);
  });
}

/// A step: y, and the lane's words of it.
__device__ __forceinline__ GhashRows hash_row_step(const GcmRowMatrices& matrices, const GhashRows& y,
                                                   const std::uint32_t x[4]) {
  const std::uint32_t rows[4] = {y.word[0], y.word[1], x[0], x[1]};
  const GhashRows product = multiply_rows(rows, matrices.by_32, matrices.by_16);
  return {{product.word[0] ^ x[2], product.word[1] ^ x[3]}};
}

/// Words that are on their way from memory; where the text is not aligned to words, each as two.
struct RowsAhead {
  std::uint32_t low[4], high[4];

  __device__ __forceinline__ void load(const std::uint32_t* from, unsigned shift) {
    PHALANX_UNROLL
    for (unsigned i = 0; i < 4; ++i) low[i] = from[32 * i];
    if (shift == 0) return;
    PHALANX_UNROLL
    for (unsigned i = 0; i < 4; ++i) high[i] = from[32 * i + 1];
  }
  __device__ __forceinline__ void get(std::uint32_t x[4], unsigned shift) const {
    PHALANX_UNROLL
    for (unsigned i = 0; i < 4; ++i) x[i] = __funnelshift_r(low[i], high[i], 8 * shift);
  }
};

/// A warp's hash of the steps [first, stop). Of whole steps the next one is read while this one is hashed.
__device__ __forceinline__ GhashRows hash_row_steps(const GcmRowMatrices& matrices, const GcmHashedText& hashed,
                                                    std::uint64_t first, std::uint64_t stop, unsigned lane) {
  const GcmHashedText::WholeSteps whole = hashed.whole_steps(first, stop);
  const auto num_whole = static_cast<unsigned>(whole.count);  // 2^27 steps at most
  auto number = static_cast<unsigned>(first - whole.first);   // of whole steps; those in front wrap
  const std::uint32_t* from = hashed.rows_of(whole, lane);
  RowsAhead next{};
  if (num_whole != 0) next.load(from, whole.shift);
  // A message's first step has often zeros alone in its first half: then there is nothing to multiply.
  bool multiplies = first != 0 || hashed.before < gcm_hash_lanes / 2;
  GhashRows y{};
  PHALANX_NO_UNROLL
  for (auto left = static_cast<unsigned>(stop - first); left != 0; --left, ++number) {
    std::uint32_t x[4];
    if (number < num_whole) {
      next.get(x, whole.shift);
      from += 4 * gcm_hash_lanes;
      if (number + 1 < num_whole) next.load(from, whole.shift);
    } else {
      hashed.load_rows(stop - left, lane, x);
      __syncwarp();
    }
    y = multiplies ? hash_row_step(matrices, y, x) : GhashRows{{x[2], x[3]}};
    multiplies = true;
  }
  return y;
}

/// Row `lane` in lanes 0 to 15; zeros in the others.
__device__ __forceinline__ GhashElement row_of_lane(const GhashRows& rows, unsigned lane) {
  std::uint32_t words[4];
  PHALANX_UNROLL
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t low = __shfl_sync(0xffffffff, rows.word[0], lane % 8 * 4 + i);
    const std::uint32_t high = __shfl_sync(0xffffffff, rows.word[1], lane % 8 * 4 + i);
    words[i] = lane < 8 ? low : lane < 16 ? high : 0;
  }
  return ghash_element(words);
}

/// hash_gcm_share so.
__device__ __forceinline__ void hash_gcm_share_by_matrices(const GcmHashKey& key, const DeviceBatchJob& job,
                                                           std::uint64_t share, std::uint64_t num_shares, unsigned lane) {
  const GcmRowMatrices matrices{{key.lane[15], lane}, {key.lane[31], lane}};
  for_each_gcm_hash_piece(job, share, num_shares, [&](const GcmHashPiece& piece) {
    const GhashRows rows = hash_row_steps(matrices, GcmHashedText(job, piece.message), piece.first, piece.stop, lane);
    const GhashElement part = sum_of_warp(ghash_multiply(row_of_lane(rows, lane), key.lane[15 - lane % 16]));
    add_to_gcm_hash(piece.hash, key.move(part, piece.steps_behind), lane);
  });
}

/// Rows times an element.
__device__ __forceinline__ GhashRows multiply_rows(const GhashRows& rows, const GhashMatrix& matrix) {
  const std::uint32_t x[4] = {rows.word[0], rows.word[1], 0, 0};
  return multiply_rows(x, matrix, matrix);
}
/// Row r has what row r + distance has, for distances up to 4.
__device__ __forceinline__ GhashRows rows_behind(const GhashRows& rows, unsigned distance) {
  return {
      {__shfl_down_sync(0xffffffff, rows.word[0], 4 * distance), __shfl_down_sync(0xffffffff, rows.word[1], 4 * distance)}};
}

/// The sum of all rows r, each times H^(16 - r), as row 0: first two neighbours become one, then two of these, and so on. No
/// lane needs to know more than one power of H at a time. Then H^8 is in `power`.
__device__ __forceinline__ GhashRows sum_of_rows(GhashRows rows, GhashElement& power, unsigned lane) {
  {
    const GhashMatrix by_subkey(power, lane);
    power = ghash_square(power);
    const GhashRows odd = rows_behind(rows, 1);
    const std::uint32_t x[4] = {rows.word[0], rows.word[1], odd.word[0], odd.word[1]};
    rows = multiply_rows(x, GhashMatrix(power, lane), by_subkey);
  }
  PHALANX_NO_UNROLL
  for (unsigned distance = 2; distance < 8; distance *= 2) {
    const GhashRows behind = rows_behind(rows, distance);
    rows = multiply_rows(rows, GhashMatrix(power, lane));
    for (unsigned i = 0; i < 2; ++i) rows.word[i] ^= behind.word[i];
    power = ghash_square(power);
  }
  const std::uint32_t last_rows = rows.word[1];
  rows = multiply_rows(rows, GhashMatrix(power, lane));
  rows.word[0] ^= last_rows;
  return rows;
}

/// Row 0 as an element, in all lanes.
__device__ __forceinline__ GhashElement first_row(const GhashRows& rows) {
  std::uint32_t words[4];
  PHALANX_UNROLL
  for (unsigned i = 0; i < 4; ++i) words[i] = __shfl_sync(0xffffffff, rows.word[0], i);
  return ghash_element(words);
}

/// hash_keyed_gcm_share so.
__device__ __forceinline__ void hash_keyed_gcm_share_by_matrices(const DeviceBatchJob& job, std::uint64_t share,
                                                                 std::uint64_t num_shares, unsigned lane) {
  for_each_gcm_hash_piece(job, share, num_shares, [&](const GcmHashPiece& piece) {
    const std::uint32_t(&subkey)[4] = job.subkeys[piece.index];
    GhashElement power = square_repeatedly(ghash_element(subkey), 4);
    const GcmRowMatrices matrices{{power, lane}, {ghash_square(power), lane}};
    GhashRows rows = hash_row_steps(matrices, GcmHashedText(job, piece.message), piece.first, piece.stop, lane);
    power = ghash_element(subkey);
    rows = sum_of_rows(rows, power, lane);
    power = square_repeatedly(power, 2);
    for (std::uint64_t steps = piece.steps_behind; steps != 0; steps >>= 1) {  // times H^32 for each: no secret
      if (steps % 2 != 0) rows = multiply_rows(rows, GhashMatrix(power, lane));
      power = ghash_square(power);
    }
    add_to_gcm_hash(piece.hash, first_row(rows), lane);
  });
}

}  // namespace
}  // namespace phalanx
