// Makes the table of gpu_kernel.hpp out of a core: the CUDA kernels and their launches. Only nvcc reads this file.
//
// A cipher's .cu file declares, beside its core,
//
//   __constant__ Core::Schedule current_key;
//   struct CurrentKey {
//     using Schedule = Core::Schedule;
//     static __device__ const Schedule& schedule() { return current_key; }
//     static cudaError_t address(void** address) { return cudaGetSymbolAddress(address, current_key); }
//   };
//
// The key is in constant memory because there a round key is an operand of the instruction that uses it, at no cost; and in
// a variable, not among the kernel's parameters, because it can be overwritten there.
#pragma once

#include <cuda_runtime.h>

#include "engine/engines/cuda/gpu_kernel.hpp"
#include "engine/engines/cuda/kernels/device_limits.hpp"
#include "engine/engines/cuda/kernels/gpu_single_block.hpp"
#include "engine/modes/chaining.hpp"
#include "engine/secrets/stack_wipe.hpp"

namespace phalanx {
namespace {

template <class Core>
concept WipesSharedMemory = requires(Core core, std::uint8_t* shared) {
  core.finish(shared);
};

template <class ModeType>
concept NeedsSavedBlocks = requires {
  ModeType::needs_saved_blocks;
};

/// Threads that a multiprocessor holds (CUDA C++ Programming Guide, "Compute Capabilities").
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)
inline constexpr unsigned resident_threads = 2048;
#elif __CUDA_ARCH__ == 750
inline constexpr unsigned resident_threads = 1024;
#else
inline constexpr unsigned resident_threads = 1536;
#endif

/// Core::resident_blocks, or as many as there can be.
template <class Core>
inline constexpr unsigned resident_blocks =
    Core::resident_blocks* Core::threads_per_block <= resident_threads ? Core::resident_blocks
                                                                       : resident_threads / Core::threads_per_block;

/// Compute capability 9.0 and newer: a kernel can be started so that it begins when all threads of the one before it on its
/// stream have ended, or allowed it, though that one's writes are not everywhere yet. It must not touch what others write
/// before each of its threads has called this.
inline constexpr unsigned least_version_of_early_start = 90;
PHALANX_INLINE void wait_for_kernel_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

template <class Core, class Key, class ModeType>
__global__ void __launch_bounds__(Core::threads_per_block, resident_blocks<Core>)
    crypt_range_kernel(const __grid_constant__ GpuJob job) {
  extern __shared__ __align__(1024) std::uint8_t shared[];
  Core core;
  core.template prepare<ModeType::step.cipher_direction>(*static_cast<const typename Core::Schedule*>(job.schedule), shared);
  wait_for_kernel_before();
  const unsigned warp =
      __shfl_sync(0xffffffffU, threadIdx.x / 32, 0);  // which tells the compiler that all lanes have the same
  // Neighbouring shares are other multiprocessors': few shares are spread over all of them.
  const std::uint64_t share = warp * std::uint64_t{gridDim.x} + blockIdx.x;
  if constexpr (Core::blocks_per_thread == 1) {
    crypt_share_by_block<Core, ModeType>(core, Key::schedule(), job, share, threadIdx.x % 32);
  } else {
    crypt_share<Core, ModeType>(core, Key::schedule(), job, share, threadIdx.x % 32);
  }
  if constexpr (WipesSharedMemory<Core>) core.finish(shared);
}

/// Saves the ciphertext block before each share, before any of them is overwritten.
template <unsigned num_words>
__global__ void save_blocks_kernel(const __grid_constant__ GpuJob job) {
  const std::uint64_t share = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  const std::uint64_t block = share * job.share_blocks;
  if (block >= job.range.num_blocks) return;
  const auto saved = share == 0 && !job.range.follows ? load_block<num_words>(job.range.iv, 0, false)
                                                      : load_block<num_words>(job.range.in - 4 * num_words, block, true);
  store_block<num_words>(job.range.share_states + 16 * share, 0, saved, true);
}

/// Cuts the range into at most num_shares shares of whole tiles.
inline GpuJob make_job(const GpuRange& range, std::size_t block_bytes, std::uint64_t tile_blocks, std::uint64_t num_shares) {
  GpuJob job{};
  job.range = range;
  job.share_blocks = divide_up(divide_up(range.num_blocks, tile_blocks), num_shares) * tile_blocks;
  job.counter_low = reverse_bytes(load_u64(range.iv + block_bytes - 8));
  job.counter_high = block_bytes == 16 ? reverse_bytes(load_u64(range.iv)) : 0;
  return job;
}

/// XTS: the powers of alpha that take a tweak to the start of any share.
inline void set_share_powers(GpuJob& job) {
  FieldElement power = power_of_alpha(job.share_blocks);
  for (auto& words : job.share_power) {
    std::memcpy(words, &power, sizeof words);
    multiply_tweak(reinterpret_cast<std::uint8_t*>(&power), FieldElement{power});
  }
}

template <class Core, class Key, class ModeType>
cudaError_t launch_range(const GpuRange& range, cudaStream_t stream) {
  constexpr std::uint64_t warps_per_block = Core::threads_per_block / 32;
  constexpr std::uint64_t tile_blocks = std::uint64_t{32} * Core::blocks_per_thread;
  if (range.num_blocks == 0) return cudaSuccess;
  DeviceLimits limits{};
  cudaError_t error = find_limits(limits);
  if (error == cudaSuccess) {
    static std::atomic<std::uint64_t> allowed{0};
    error = allow_shared_memory_once(allowed, reinterpret_cast<const void*>(crypt_range_kernel<Core, Key, ModeType>),
                                     Core::shared_bytes);
  }
  void* found = nullptr;
  if (error == cudaSuccess && range.schedule == nullptr) error = Key::address(&found);
  if (error != cudaSuccess) return error;
  const std::uint64_t wanted_shares = std::uint64_t{limits.multiprocessors} * Core::grid_blocks * warps_per_block;
  GpuJob job =
      make_job(range, Core::block_bytes, tile_blocks, wanted_shares < max_gpu_shares ? wanted_shares : max_gpu_shares);
  job.schedule = range.schedule != nullptr ? range.schedule : found;
  const std::uint64_t num_shares = divide_up(range.num_blocks, job.share_blocks);
  if constexpr (NeedsSavedBlocks<ModeType>) {
    save_blocks_kernel<Core::block_bytes / 4><<<static_cast<unsigned>(divide_up(num_shares, 128)), 128, 0, stream>>>(job);
    error = cudaGetLastError();
    if (error != cudaSuccess) return error;
  }
  if constexpr (Core::block_bytes == 16) {
    if constexpr (std::is_same_v<ModeType, GpuXts<Core, ModeType::step.cipher_direction>>) set_share_powers(job);
  }
  const std::uint64_t resident = std::uint64_t{limits.multiprocessors} * Core::resident_blocks;
  const std::uint64_t full_blocks = divide_up(num_shares, warps_per_block);
  const std::uint64_t spread_blocks = num_shares < resident ? num_shares : resident;
  const auto num_blocks = static_cast<unsigned>(full_blocks > spread_blocks ? full_blocks : spread_blocks);
  cudaLaunchAttribute early_start{};
  early_start.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early_start.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = num_blocks;
  config.blockDim = Core::threads_per_block;
  config.dynamicSmemBytes = Core::shared_bytes;
  config.stream = stream;
  config.attrs = &early_start;
  config.numAttrs = range.key_stays && limits.code_version >= least_version_of_early_start ? 1 : 0;
  return cudaLaunchKernelEx(&config, crypt_range_kernel<Core, Key, ModeType>, job);
}

template <class Core>
void expand_gpu_key(const std::uint8_t* key, std::size_t key_bytes, void* schedule) {
  constexpr std::size_t stack_bytes = 8192;  // as CPUs' kernels do: this runs on the host
  call_then_wipe_stack<stack_bytes>(
      [&] { Core::expand_key(key, key_bytes, *static_cast<typename Core::Schedule*>(schedule)); });
}

template <class Core, class Key, Direction direction>
constexpr GpuRangeFunction gpu_xts() {
  if constexpr (Core::block_bytes == 16) return launch_range<Core, Key, GpuXts<Core, direction>>;
  return nullptr;  // XTS is defined for 128-bit blocks only
}

/// The table but for its batches.
template <class Core, class Key>
constexpr GpuKernel make_gpu_kernel() {
  constexpr auto encrypt = Direction::encrypt;
  constexpr auto decrypt = Direction::decrypt;
  GpuKernel kernel{};
  kernel.block_bytes = Core::block_bytes;
  kernel.schedule_bytes = sizeof(typename Core::Schedule);
  kernel.expand_key = expand_gpu_key<Core>;
  kernel.key_address = Key::address;
  const auto set = [&kernel](Mode mode, GpuRangeFunction on_encrypt, GpuRangeFunction on_decrypt) {
    kernel.range[static_cast<unsigned>(mode)][0] = on_encrypt;
    kernel.range[static_cast<unsigned>(mode)][1] = on_decrypt;
  };
  set(Mode::ecb, launch_range<Core, Key, GpuEcb<Core, encrypt>>, launch_range<Core, Key, GpuEcb<Core, decrypt>>);
  set(Mode::cbc, nullptr, launch_range<Core, Key, GpuCbcDecrypt<Core>>);
  set(Mode::ctr, launch_range<Core, Key, GpuCtr<Core>>, launch_range<Core, Key, GpuCtr<Core>>);
  set(Mode::cfb, nullptr, launch_range<Core, Key, GpuCfbDecrypt<Core>>);
  set(Mode::xts, gpu_xts<Core, Key, encrypt>(), gpu_xts<Core, Key, decrypt>());
  return kernel;
}

}  // namespace
}  // namespace phalanx
