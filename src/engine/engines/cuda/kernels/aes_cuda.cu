// AES on a GPU.
#include "engine/ciphers/aes/gpu_aes.hpp"
#include "engine/engines/cuda/kernels/gcm_kernel.hpp"
#include "engine/engines/cuda/kernels/kernel_by_memory.hpp"

namespace phalanx {
namespace {

__constant__ AesTableSchedule<10> current_key_128;
__constant__ AesTableSchedule<12> current_key_192;
__constant__ AesTableSchedule<14> current_key_256;

struct CurrentKey128 {
  using Schedule = AesTableSchedule<10>;
  static __device__ const Schedule& schedule() { return current_key_128; }
  static cudaError_t address(void** address) { return cudaGetSymbolAddress(address, current_key_128); }
};
struct CurrentKey192 {
  using Schedule = AesTableSchedule<12>;
  static __device__ const Schedule& schedule() { return current_key_192; }
  static cudaError_t address(void** address) { return cudaGetSymbolAddress(address, current_key_192); }
};
struct CurrentKey256 {
  using Schedule = AesTableSchedule<14>;
  static __device__ const Schedule& schedule() { return current_key_256; }
  static cudaError_t address(void** address) { return cudaGetSymbolAddress(address, current_key_256); }
};

// Batches use the smaller tables everywhere: what they cost is little beside what the messages' many places in memory do.
// 1,024 threads would not have the registers for two blocks.
template <int num_rounds>
struct OfMessages : GpuAes<num_rounds, HalfLaneTables> {
  static constexpr unsigned threads_per_block = 512;
};

template <int num_rounds, class Key>
constexpr GpuKernel make_aes_kernel() {
  using Large = GpuAes<num_rounds, LaneTables>;
  using Small = GpuAes<num_rounds, HalfLaneTables>;
  return GcmBatch<Large, Small, OfMessages<num_rounds>, GpuAesOfKeys<num_rounds, LaneTables>, GpuAesOfKeys<num_rounds>,
                  Key>::add_to(MessageBatch<OfMessages<num_rounds>, GpuAesOfKeys<num_rounds>,
                                            Key>::add_to(KernelByMemory<Large, Small, Key>::make()));
}

}  // namespace

constexpr GpuKernel aes_128_gpu_kernel = make_aes_kernel<10, CurrentKey128>();
constexpr GpuKernel aes_192_gpu_kernel = make_aes_kernel<12, CurrentKey192>();
constexpr GpuKernel aes_256_gpu_kernel = make_aes_kernel<14, CurrentKey256>();

}  // namespace phalanx
