// Chunks of a long message: on their way between the host's memory, where they are sealed, and a GPU's, where they are
// plain; and within a GPU's memory.
#pragma once

#include "engine/engines/cuda/staging/gpu_transfer.hpp"

namespace phalanx {

/// What KeyedDeviceAead::crypt_chunks says, on the current device. `crypt` is in this direction.
std::unique_ptr<DeviceBatchResult> crypt_gpu_chunks(GpuDevice& device, const CryptArrays& crypt, Direction direction,
                                                    const DeviceChunks& chunks, cudaStream_t stream);

/// What KeyedDeviceAead::open_chunks and seal_chunks say, on the current device. `crypt` opens, or seals.
std::uint64_t open_gpu_chunks(GpuDevice& device, const CryptArrays& crypt, const SealedChunks& chunks, std::uint8_t* out,
                              cudaStream_t stream);
void seal_gpu_chunks(GpuDevice& device, const CryptArrays& crypt, const ChunksToSeal& chunks, const std::uint8_t* in,
                     cudaStream_t stream);

}  // namespace phalanx
