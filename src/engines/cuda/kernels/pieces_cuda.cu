// Pieces of bytes that are put at places of a GPU's memory.
#include "engines/cuda/gpu_pieces.hpp"
#include "engines/cuda/kernels/device_limits.hpp"

namespace phalanx {
namespace {

constexpr unsigned put_threads = 128;

// A piece a warp: most have few bytes.
__global__ void __launch_bounds__(put_threads) put_pieces_kernel(const __grid_constant__ GpuPieces pieces) {
  const std::uint64_t piece = (blockIdx.x * std::uint64_t{put_threads} + threadIdx.x) / 32;
  if (piece >= pieces.count) return;
  const std::uint64_t begin = pieces.starts[piece];
  const std::uint64_t num_bytes = pieces.starts[piece + 1] - begin;
  std::uint8_t* const out = pieces.out + pieces.offsets[piece];
  for (std::uint64_t i = threadIdx.x % 32; i < num_bytes; i += 32) out[i] = pieces.bytes[begin + i];
}

}  // namespace

cudaError_t put_gpu_pieces(const GpuPieces& pieces, cudaStream_t stream) {
  if (pieces.count == 0) return cudaSuccess;
  const auto num_blocks = static_cast<unsigned>(divide_up(pieces.count, put_threads / 32));
  put_pieces_kernel<<<num_blocks, put_threads, 0, stream>>>(pieces);
  return cudaGetLastError();
}

}  // namespace phalanx
