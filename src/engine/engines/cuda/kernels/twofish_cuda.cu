// Twofish on a GPU.
#include "engine/ciphers/twofish/gpu_twofish.hpp"
#include "engine/engines/cuda/kernels/gcm_kernel.hpp"
#include "engine/engines/cuda/kernels/kernel_by_memory.hpp"

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

// Batches run on every GPU alike. 1,024 threads would not have the registers for two blocks.
struct OfMessages : Small {
  static constexpr unsigned threads_per_block = 512;
};

}  // namespace

constexpr GpuKernel twofish_gpu_kernel =
    GcmBatch<Large, Small, OfMessages, GpuTwofishOfKeys, GpuTwofishOfKeys, CurrentKey>::add_to(
        MessageBatch<OfMessages, GpuTwofishOfKeys, CurrentKey>::add_to(KernelByMemory<Large, Small, CurrentKey>::make()));

}  // namespace phalanx
