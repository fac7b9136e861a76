// Patches: bytes that are put at places of a GPU's memory. kernels/patches_cuda.cu.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace phalanx {

/// All in device memory: patch i is bytes[starts[i] to starts[i + 1]], and goes to out + offsets[i].
struct GpuPatches {
  const std::uint8_t* bytes;
  const std::uint64_t* starts;
  const std::uint64_t* offsets;
  std::uint64_t count;
  std::uint8_t* out;
};

/// Enqueued on the stream, as gpu_kernel.hpp has it.
cudaError_t put_gpu_patches(const GpuPatches& patches, cudaStream_t stream);

}  // namespace phalanx
