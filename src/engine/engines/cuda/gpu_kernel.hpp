// What nvcc's files supply for one cipher: a table of plain functions over device memory
// (engine/engines/cuda/kernels/<cipher>_cuda.cu). All work on the current device, enqueue on the given stream and return
// without waiting; none allocates. What they return is the launch's own error: an error while it runs shows at the stream's
// next synchronisation.
#pragma once

#include <cuda_runtime_api.h>

#include "engine/ciphers/cipher_spec.hpp"
#include "engine/ciphers/direction.hpp"
#include "engine/modes/device_batches/batch_arrays.hpp"
#include "engine/modes/gpu_range.hpp"
#include "engine/modes/mode.hpp"

namespace phalanx {

using GpuRangeFunction = cudaError_t (*)(const GpuRange& range, cudaStream_t stream);
using GpuBatchFunction = cudaError_t (*)(const GpuBatch& batch, cudaStream_t stream);

/// What batches of GCM messages need of their cipher, whose key is in place (gpu_gcm.hpp has the rest).
struct GpuGcmFunctions {
  using Function = cudaError_t (*)(const DeviceBatchJob& job, cudaStream_t stream);
  Function crypt;        ///< the texts of all messages; to open, only of authentic ones
  Function finish;       ///< from the hashes, the tags or the verdicts
  unsigned step_blocks;  ///< DeviceBatchJob::step_blocks

  // The same where every message has a key of its own, and no key need be in place.
  Function expand_keys;  ///< first: expanded keys and hash subkeys
  Function keyed_crypt;
  Function keyed_finish;
  unsigned keyed_step_blocks;
  std::size_t key_vectors;  ///< of 16 bytes: an expanded key
};

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
  /// What GpuBatch::scratch must have; num_keys is 0 where all are under the key in place.
  std::size_t (*batch_scratch_bytes)(std::uint64_t num_messages, std::uint64_t num_keys, std::size_t key_bytes);
  GpuGcmFunctions gcm;  ///< null: the cipher has no GCM
};

#define PHALANX_DECLARE_KERNEL(name, isa) extern const GpuKernel name##_gpu_kernel;
PHALANX_CIPHER_KERNELS(PHALANX_DECLARE_KERNEL, )
#undef PHALANX_DECLARE_KERNEL
/// DES with one of its two kernels for batches, whatever the number of messages: for tests and measurements.
extern const GpuKernel des_tables_gpu_kernel, des_sliced_gpu_kernel;

}  // namespace phalanx
