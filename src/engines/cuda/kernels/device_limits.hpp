// What launches ask of the current device. Only nvcc reads this file.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lanes/inline.hpp"

namespace phalanx {
namespace {

inline cudaError_t device_attribute(cudaDeviceAttr attribute, std::uint64_t& value) {
  int device = 0;
  int result = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&result, attribute, device);
  value = static_cast<std::uint64_t>(result);
  return error;
}

inline cudaError_t count_multiprocessors(std::uint64_t& count) {
  return device_attribute(cudaDevAttrMultiProcessorCount, count);
}

/// Whether a CUDA block can have so much shared memory.
inline cudaError_t has_shared_memory(std::size_t num_bytes, bool& has) {
  std::uint64_t most = 0;
  const cudaError_t error = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, most);
  has = num_bytes <= most;
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
