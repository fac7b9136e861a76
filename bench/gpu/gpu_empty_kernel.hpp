// A kernel of one thread that does nothing: what any call that starts a kernel takes at least.
#pragma once

#include <cuda_runtime_api.h>

namespace phalanx {

cudaError_t start_empty_kernel(cudaStream_t stream);

}  // namespace phalanx
