// What launches must know of the current device. Only nvcc reads this file.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "bytes/inline.hpp"

namespace phalanx {
namespace {

struct DeviceLimits {
  std::uint32_t multiprocessors;
  std::uint32_t shared_bytes;  ///< that a CUDA block can have
};

inline cudaError_t ask_limits(int device, DeviceLimits& limits) {
  int multiprocessors = 0;
  int shared_bytes = 0;
  cudaError_t error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  limits = {static_cast<std::uint32_t>(multiprocessors), static_cast<std::uint32_t>(shared_bytes)};
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

PHALANX_INLINE std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace
}  // namespace phalanx
