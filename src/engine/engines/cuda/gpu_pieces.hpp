// Batches of a bare cipher over device memory, but for the cipher (GpuKernel::batch): pieces_cuda.cu. As gpu_kernel.hpp has
// it, all work is enqueued on the given stream of the current device, nothing waits, and nothing is allocated.
#pragma once

#include <cuda_runtime_api.h>

#include "engine/modes/device_batches/device_pieces.hpp"

namespace phalanx {

/// Behind plan_gpu_batch: writes the verdicts, and of XTS the tweaks as they were given.
cudaError_t judge_gpu_messages(const DevicePiecesJob& call, cudaStream_t stream);

/// Behind that, and the tweaks encrypted: writes pieces, their chaining states and their owners. None if any message is
/// misplaced.
cudaError_t cut_gpu_pieces(const DevicePiecesJob& call, cudaStream_t stream);

/// Keys of two-key triple DES, 16 bytes each, as its kernel takes them: with the first one again behind each. All aligned to
/// 8 bytes.
cudaError_t widen_gpu_keys(const std::uint8_t* keys, std::uint8_t* wide, std::uint64_t count, cudaStream_t stream);

/// Writes `offsets` and `ivs`.
cudaError_t write_gpu_sector_arrays(const GpuSectorArrays& sectors, cudaStream_t stream);

}  // namespace phalanx
