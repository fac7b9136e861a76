// GHASH (SP 800-38D section 6.4) over device memory: ghash_cuda.cu. As gpu_kernel.hpp has it, all work is enqueued on the
// given stream of the current device, nothing waits, and nothing is allocated.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace phalanx {

/// Bytes of an expanded hash key in device memory, aligned to 16. It is as secret as the hash subkey: whoever owns it wipes
/// it.
std::size_t gpu_hash_key_bytes();

/// Expands the hash subkey, 16 bytes of device memory, aligned to 16.
cudaError_t expand_gpu_hash_key(const std::uint8_t* hash_subkey, void* key, cudaStream_t stream);

/// state = (state ^ X) * H for each block X of `in` in turn. `state` has 16 bytes, and after them 16 bytes of scratch, in
/// device memory, aligned to 16. num_blocks may be 0.
cudaError_t update_gpu_hash(const void* key, std::uint8_t* state, const std::uint8_t* in, std::uint64_t num_blocks,
                            cudaStream_t stream);

}  // namespace phalanx
