// What nvcc's files supply for one cipher: a table of plain functions over device memory (engines/cuda/<cipher>_cuda.cu). All work
// on the current device, enqueue on the given stream and return without waiting; none allocates. What they return is the
// launch's own error: an error while it runs shows at the stream's next synchronisation.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "ciphers/direction.hpp"
#include "ciphers/mode.hpp"

namespace phalanx {

/// Chunks into which a range is cut at most: one for each warp of the launch.
inline constexpr std::size_t max_gpu_chunks = std::size_t{1} << 15;

/// Whole blocks in device memory. `in` is `out` or disjoint from it; neither needs an alignment, though 16 bytes are fastest.
struct GpuRange {
  const std::uint8_t* in;
  std::uint8_t* out;
  std::uint64_t num_blocks;
  std::uint8_t iv[16];         ///< the chaining state before the first block, as for KeyedCipher::crypt_range
  std::uint8_t* chunk_states;  ///< scratch: max_gpu_chunks * 16 bytes, unused by any other work until this one is done
};

/// One message of a batch, in device memory.
struct GpuStream {
  const std::uint8_t* in;
  std::uint8_t* out;
  std::uint64_t num_blocks;
};

/// Many messages. All arrays are in device memory.
struct GpuBatch {
  const GpuStream* streams;
  std::uint8_t* ivs;         ///< 16 bytes for each stream: its chaining state before and after
  const std::uint8_t* keys;  ///< key_bytes for each stream; nullptr: all under the key in place (GpuKernel::key_address)
  std::uint64_t num_streams;
  void* scratch;  ///< batch_scratch_bytes(num_streams), of any content; holds expanded keys: whoever owns it wipes it
};

using GpuRangeFunction = cudaError_t (*)(const GpuRange& range, cudaStream_t stream);
using GpuBatchFunction = cudaError_t (*)(const GpuBatch& batch, cudaStream_t stream);

struct GpuKernel {
  std::size_t block_bytes;
  std::size_t schedule_bytes;                                                          ///< size of an expanded key
  void (*expand_key)(const std::uint8_t* key, std::size_t key_bytes, void* schedule);  ///< on the host
  /// Where in the current device's constant memory the kernels look for the expanded key. One key is in place at a time: who
  /// copies another there must order that copy behind all work under the one before (gpu_key_slot.hpp).
  cudaError_t (*key_address)(void** address);
  GpuRangeFunction range[num_range_modes]
                        [num_directions];  ///< [Mode][Direction]; nullptr: serial, or not a mode of the cipher
  /// Every mode as a batch; nullptr: not a mode of the cipher.
  GpuBatchFunction batch[num_range_modes][num_directions];
  std::size_t (*batch_scratch_bytes)(std::uint64_t num_streams);
};

extern const GpuKernel des_gpu_kernel, aes_128_gpu_kernel, aes_192_gpu_kernel, aes_256_gpu_kernel, serpent_gpu_kernel,
    twofish_gpu_kernel;

}  // namespace phalanx
