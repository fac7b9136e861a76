// Batches of a bare cipher whose messages lie in a GPU's memory.
#pragma once

#include <memory>

#include "engine/engines/cuda/gpu_device.hpp"
#include "engine/engines/device_memory.hpp"

namespace phalanx {

/// What a batch is crypted with.
struct GpuDeviceWork {
  const CipherSpec& cipher;
  Mode mode;
  Direction direction;
  const GpuKey& key;
  const GpuKey* tweak_key;  ///< XTS
};

/// As KeyedDeviceCipher::crypt_device_batch has it; the key's device is the current one.
std::unique_ptr<DeviceBatchResult> crypt_batch_on_gpu(const GpuDeviceWork& work, const DeviceBatchArrays& arrays,
                                                      cudaStream_t stream);
/// As KeyedDeviceCipher::crypt_device_sectors has it; the same.
void crypt_sectors_on_gpu(const GpuDeviceWork& work, const DeviceSectorRange& sectors, cudaStream_t stream);

}  // namespace phalanx
