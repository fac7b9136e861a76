// Twofish on a GPU.
#include "engines/cuda/batch_kernel.hpp"
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

using Large = GpuTwofish<TwofishFourTables<LaneTables>>;
using Small = GpuTwofish<TwofishOneTable<LaneTables>>;

}  // namespace

/// Batches run on every GPU alike.
constexpr GpuKernel twofish_gpu_kernel =
    MessageBatch<Small, GpuTwofishOfKeys, CurrentKey>::add_to(KernelByMemory<Large, Small, CurrentKey>::make());

}  // namespace phalanx
