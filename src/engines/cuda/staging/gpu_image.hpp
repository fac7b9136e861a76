// Images of files in a GPU's memory.
#pragma once

#include <memory>

#include "engines/cuda/gpu_device.hpp"
#include "engines/device_image.hpp"

namespace phalanx {

/// Behind what is on `stream`. Until it is destroyed it has the device's staging buffers.
std::unique_ptr<DeviceImage> begin_gpu_image(GpuDevice& device, const DeviceImagePlace& place, cudaStream_t stream);

}  // namespace phalanx
