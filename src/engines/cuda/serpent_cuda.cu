// Serpent on a GPU.
#include "engines/cuda/gpu_serpent.hpp"
#include "engines/cuda/range_kernel.hpp"

namespace phalanx {
namespace {

__constant__ GpuSerpent::Schedule current_key;

struct CurrentKey {
  static __device__ const GpuSerpent::Schedule& schedule() { return current_key; }
  static cudaError_t address(void** address) { return cudaGetSymbolAddress(address, current_key); }
};

}  // namespace

constexpr GpuKernel serpent_gpu_kernel = make_gpu_kernel<GpuSerpent, CurrentKey>();

}  // namespace phalanx
