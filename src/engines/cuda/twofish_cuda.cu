// Twofish on a GPU.
#include "engines/cuda/gpu_twofish.hpp"
#include "engines/cuda/kernel_by_memory.hpp"

namespace phalanx {
namespace {

__constant__ TwofishTableSchedule current_key;

struct CurrentKey {
  using Schedule = TwofishTableSchedule;
  static __device__ const Schedule& schedule() { return current_key; }
  static cudaError_t address(void** address) { return cudaGetSymbolAddress(address, current_key); }
};

}  // namespace

constexpr GpuKernel twofish_gpu_kernel = KernelByMemory<GpuTwofish<TwofishFourTables<LaneTables>>,
                                                        GpuTwofish<TwofishOneTable<LaneTables>>, CurrentKey>::make();

}  // namespace phalanx
