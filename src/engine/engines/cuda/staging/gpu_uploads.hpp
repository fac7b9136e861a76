// Uploads into a GPU's memory.
#pragma once

#include <memory>

#include "engine/engines/cuda/gpu_device.hpp"
#include "engine/engines/device_uploads.hpp"

namespace phalanx {

/// Behind what is on `stream`. Until it is destroyed it has the device's staging buffers.
std::unique_ptr<DeviceUploads> begin_gpu_uploads(GpuDevice& device, const DeviceUploadPlace& place, cudaStream_t stream);

}  // namespace phalanx
