// Chunks of a long message on their way between the host's memory and a GPU's: sealed on the host's side, and plain on the
// GPU's.
#pragma once

#include <functional>
#include <memory>

#include "engines/cuda/gpu_device.hpp"
#include "engines/keyed_device_gcm.hpp"

namespace phalanx {

/// Seals or opens messages whose arrays are in the current device's memory, on a stream.
using CryptChunks = std::function<std::unique_ptr<DeviceGcmVerdicts>(const DeviceGcmArrays& arrays, cudaStream_t stream)>;

/// What KeyedDeviceGcm::open_chunks and seal_chunks say, on the current device. `crypt` opens, or seals.
std::uint64_t open_gpu_chunks(GpuDevice& device, const CryptChunks& crypt, const SealedChunks& chunks, std::uint8_t* out,
                              cudaStream_t stream);
void seal_gpu_chunks(GpuDevice& device, const CryptChunks& crypt, const ChunksToSeal& chunks, const std::uint8_t* in,
                     cudaStream_t stream);

}  // namespace phalanx
