// Bytes that are put at many places of a GPU's memory (device_uploads.hpp). kernels/scatter_cuda.cu.
#pragma once

#include <cuda_runtime_api.h>

#include "engine/engines/device_uploads.hpp"

namespace phalanx {

/// Enqueued on the stream, as gpu_kernel.hpp has it.
cudaError_t put_scatter_writes(const ScatterWrites& writes, cudaStream_t stream);

}  // namespace phalanx
