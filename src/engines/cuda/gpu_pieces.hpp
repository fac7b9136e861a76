// Pieces of bytes that are put at places of a GPU's memory: kernels/pieces_cuda.cu.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace phalanx {

/// All in device memory: piece i is bytes[starts[i] to starts[i + 1]], and goes to out + offsets[i].
struct GpuPieces {
  const std::uint8_t* bytes;
  const std::uint64_t* starts;
  const std::uint64_t* offsets;
  std::uint64_t count;
  std::uint8_t* out;
};

/// Enqueued on the stream, as gpu_kernel.hpp has it.
cudaError_t put_gpu_pieces(const GpuPieces& pieces, cudaStream_t stream);

}  // namespace phalanx
