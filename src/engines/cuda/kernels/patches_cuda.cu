// Patches: bytes that are put at places of a GPU's memory.
#include "engines/cuda/kernels/device_limits.hpp"
#include "engines/cuda/staging/gpu_patches.hpp"

namespace phalanx {
namespace {

constexpr unsigned put_threads = 128;

// A patch a warp: most have few bytes.
__global__ void __launch_bounds__(put_threads) put_patches_kernel(const __grid_constant__ GpuPatches patches) {
  const std::uint64_t patch = (blockIdx.x * std::uint64_t{put_threads} + threadIdx.x) / 32;
  if (patch >= patches.count) return;
  const std::uint64_t begin = patches.starts[patch];
  const std::uint64_t num_bytes = patches.starts[patch + 1] - begin;
  std::uint8_t* const out = patches.out + patches.offsets[patch];
  for (std::uint64_t i = threadIdx.x % 32; i < num_bytes; i += 32) out[i] = patches.bytes[begin + i];
}

}  // namespace

cudaError_t put_gpu_patches(const GpuPatches& patches, cudaStream_t stream) {
  if (patches.count == 0) return cudaSuccess;
  const auto num_blocks = static_cast<unsigned>(divide_up(patches.count, put_threads / 32));
  put_patches_kernel<<<num_blocks, put_threads, 0, stream>>>(patches);
  return cudaGetLastError();
}

}  // namespace phalanx
