// Bytes that are put at many places of a GPU's memory.
#include "engine/engines/cuda/kernels/device_limits.hpp"
#include "engine/engines/cuda/staging/scatter_writes.hpp"

namespace phalanx {
namespace {

constexpr unsigned put_threads = 128;

// A run a warp: most have few bytes.
__global__ void __launch_bounds__(put_threads) put_scatter_writes_kernel(const __grid_constant__ ScatterWrites writes) {
  const std::uint64_t run = (blockIdx.x * std::uint64_t{put_threads} + threadIdx.x) / 32;
  if (run >= writes.count) return;
  const std::uint64_t begin = writes.starts[run];
  const std::uint64_t num_bytes = writes.starts[run + 1] - begin;
  std::uint8_t* const out = writes.out + writes.offsets[run];
  for (std::uint64_t i = threadIdx.x % 32; i < num_bytes; i += 32) out[i] = writes.bytes[begin + i];
}

}  // namespace

cudaError_t put_scatter_writes(const ScatterWrites& writes, cudaStream_t stream) {
  if (writes.count == 0) return cudaSuccess;
  const auto num_blocks = static_cast<unsigned>(divide_up(writes.count, put_threads / 32));
  put_scatter_writes_kernel<<<num_blocks, put_threads, 0, stream>>>(writes);
  return cudaGetLastError();
}

}  // namespace phalanx
