// Batches of GCM messages over device memory, but for their cipher (GpuKernel::gcm): gcm_cuda.cu. As gpu_kernel.hpp has it,
// all work is enqueued on the given stream of the current device, nothing waits, and nothing is allocated.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/modes/device_batches/batch_arrays.hpp"

namespace phalanx {

/// Bytes of an expanded hash key in device memory, aligned to 16. It is as secret as the hash subkey: whoever owns it wipes
/// it.
std::size_t gpu_gcm_key_bytes();

/// Expands the hash subkey, 16 bytes of device memory, aligned to 16.
cudaError_t expand_gpu_gcm_key(const std::uint8_t* hash_subkey, void* key, cudaStream_t stream);

/// Scratch memory of a call, aligned to 16; place_gpu_gcm sets the job's pointers into it. A bare cipher has no hashes.
std::size_t gpu_gcm_scratch_bytes(std::uint64_t num_messages, bool has_hashes);
void place_gpu_gcm(DeviceBatchJob& job, bool has_hashes, std::uint8_t* scratch);

/// The same for what messages with a key each need beside it: GpuGcmFunctions::key_vectors of the cipher. It holds keys:
/// whoever owns it wipes it.
std::size_t gpu_gcm_keys_bytes(std::uint64_t num_messages, std::size_t key_vectors);
void place_gpu_gcm_keys(DeviceBatchJob& job, std::size_t key_vectors, std::uint8_t* scratch);

/// Of XAES-256-GCM: the two blocks a message that, encrypted in ECB under the key in place, are its key. `L` is the hash
/// subkey, 16 bytes of device memory; it and `blocks` are aligned to 16. The blocks are secret: whoever owns them wipes
/// them.
cudaError_t make_gpu_xaes_inputs(const std::uint8_t* L, const DeviceBatchArrays& arrays, std::uint8_t* blocks,
                                 cudaStream_t stream);

/// Copies the job's offsets, lengths, nonces (or ivs) and tags into the scratch memory, where all that follows reads them,
/// checks the copies, and says in *num_misplaced and *all_authentic what it found. All that follows on the stream does
/// nothing but give verdicts where any message is misplaced.
cudaError_t plan_gpu_batch(const DeviceBatchJob& job, cudaStream_t stream);

/// Hashes every message's associated data and ciphertext into job.hashes.
cudaError_t hash_gpu_gcm(const DeviceBatchJob& job, cudaStream_t stream);

/// How hashes are made: by products of binary matrices, where the GPU has them and messages are long or have keys of their
/// own; else by tables, or by integer multiplications.
enum class GcmHashing : std::uint8_t { as_it_fits, by_matrices, without_matrices };
/// For tests.
extern std::atomic<GcmHashing> gcm_hashing;

/// A kernel that traps unless *all_authentic: the device's context is of no use afterwards.
cudaError_t require_gpu_gcm(const std::uint32_t* all_authentic, cudaStream_t stream);

/// What kernels are told of chunks that lie behind one another in device memory: of each where it begins, plain and
/// sealed, how long it is, and its nonce.
struct GpuChunkArrays {
  static constexpr std::size_t bytes_a_chunk = 3 * sizeof(std::uint64_t) + 12;

  std::uint64_t* plain_offsets;
  std::uint64_t* sealed_offsets;
  std::uint64_t* lengths;
  std::uint8_t* nonces;
  std::uint64_t count;
  std::uint64_t chunk_bytes = 0;  ///< of plaintext, but of the last one
  std::uint64_t plain_bytes = 0;  ///< of all
  std::uint64_t first = 0;        ///< number of the first one
  std::uint32_t base_nonce[3] = {};

  /// `memory` has count * bytes_a_chunk bytes, aligned to 8.
  GpuChunkArrays(std::uint8_t* memory, std::uint64_t num_chunks)
      : plain_offsets(reinterpret_cast<std::uint64_t*>(memory)),
        sealed_offsets(plain_offsets + num_chunks),
        lengths(sealed_offsets + num_chunks),
        nonces(reinterpret_cast<std::uint8_t*>(lengths + num_chunks)),
        count(num_chunks) {}
};

/// Writes them. A nonce is base_nonce XOR the chunk's number, big-endian.
cudaError_t write_gpu_chunk_arrays(const GpuChunkArrays& arrays, cudaStream_t stream);

}  // namespace phalanx
