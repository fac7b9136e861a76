// What launches must know of the current device. Only nvcc reads this file.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "engine/bytes/inline.hpp"

namespace phalanx {
namespace {

struct DeviceLimits {
  std::uint16_t multiprocessors;
  std::uint16_t code_version;  ///< of the kernels' code on it, as compute capability: 75, 90
  std::uint32_t shared_bytes;  ///< that a CUDA block can have
};

__global__ void kernel_to_ask_about() {}

inline cudaError_t ask_limits(int device, DeviceLimits& limits) {
  int multiprocessors = 0;
  int shared_bytes = 0;
  cudaFuncAttributes code{};
  cudaError_t error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&code, reinterpret_cast<const void*>(kernel_to_ask_about));
  limits = {static_cast<std::uint16_t>(multiprocessors), static_cast<std::uint16_t>(code.ptxVersion),
            static_cast<std::uint32_t>(shared_bytes)};
  return error;
}

/// Those of the current device, which is asked once. Any thread may call this.
inline cudaError_t find_limits(DeviceLimits& limits) {
  constexpr int num_remembered = 64;
  static std::atomic<DeviceLimits> remembered[num_remembered];  // a device without multiprocessors was not asked yet
  int device = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  if (device >= num_remembered) return ask_limits(device, limits);
  limits = remembered[device].load(std::memory_order_relaxed);
  if (limits.multiprocessors != 0) return cudaSuccess;
  error = ask_limits(device, limits);
  if (error == cudaSuccess) remembered[device].store(limits, std::memory_order_relaxed);
  return error;
}

/// Lets the kernel have so much dynamic shared memory: more than 48 KiB must be asked for.
inline cudaError_t allow_shared_memory(const void* kernel, std::size_t num_bytes) {
  if (num_bytes <= 48 * 1024) return cudaSuccess;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(num_bytes));
}

/// The same for a kernel that is started often: `allowed` is that kernel's own, and has a bit for each device that was told.
inline cudaError_t allow_shared_memory_once(std::atomic<std::uint64_t>& allowed, const void* kernel, std::size_t num_bytes) {
  if (num_bytes <= 48 * 1024) return cudaSuccess;
  int device = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  const std::uint64_t bit = device < 64 ? std::uint64_t{1} << device : 0;
  if ((allowed.load(std::memory_order_relaxed) & bit) != 0) return cudaSuccess;
  error = allow_shared_memory(kernel, num_bytes);
  if (error == cudaSuccess) allowed.fetch_or(bit, std::memory_order_relaxed);
  return error;
}

PHALANX_INLINE std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// CUDA blocks of a kernel whose warps take num_units of work between them, warp_units each at least. Not more than `most`.
inline unsigned count_blocks(std::uint64_t num_units, std::uint64_t warp_units, unsigned block_threads, std::uint64_t most) {
  const std::uint64_t wanted = divide_up(num_units, warp_units * (block_threads / 32)) + 1;
  return static_cast<unsigned>(wanted < most ? wanted : most);
}

/// Large where a multiprocessor has the shared memory that it wants, else Small: launch(core) of a core that says which.
template <class Large, class Small, class Launch>
cudaError_t launch_by_memory(Launch launch) {
  if constexpr (Large::shared_bytes != Small::shared_bytes) {
    DeviceLimits limits{};
    const cudaError_t error = find_limits(limits);
    if (error != cudaSuccess) return error;
    if (Large::shared_bytes > limits.shared_bytes) return launch(std::type_identity<Small>{});
  }
  return launch(std::type_identity<Large>{});
}

}  // namespace
}  // namespace phalanx
