// Serpent on a GPU.
#include "engine/ciphers/serpent/gpu_serpent.hpp"
#include "engine/engines/cuda/kernels/gcm_kernel.hpp"

namespace phalanx {
namespace {

__constant__ SerpentKeyedSchedule current_key;

struct CurrentKey {
  using Schedule = SerpentKeyedSchedule;
  static __device__ const Schedule& schedule() { return current_key; }
  static cudaError_t address(void** address) { return cudaGetSymbolAddress(address, current_key); }
};

// Batches take two blocks of a message ahead, which wants registers.
struct OfMessages : GpuSerpent<1> {
  static constexpr unsigned resident_blocks = 3;
};

}  // namespace

constexpr GpuKernel serpent_gpu_kernel =
    GcmBatch<GpuSerpent<2>, GpuSerpent<2>, OfMessages, GpuSerpentOfKeys, GpuSerpentOfKeys, CurrentKey>::add_to(
        MessageBatch<OfMessages, GpuSerpentOfKeys, CurrentKey>::add_to(make_gpu_kernel<GpuSerpent<2>, CurrentKey>()));

}  // namespace phalanx
