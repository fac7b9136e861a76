// A kernel for multiprocessors with much shared memory (data-centre GPUs) and another for the rest, as one: each launch
// takes what the current device has room for. Only nvcc reads this file.
#pragma once

#include "engine/engines/cuda/kernels/device_limits.hpp"
#include "engine/engines/cuda/kernels/range_kernel.hpp"

namespace phalanx {
namespace {

template <class Large, class Small, class Key>
struct KernelByMemory {
  static_assert(Large::shared_bytes > Small::shared_bytes);
  static constexpr GpuKernel large = make_gpu_kernel<Large, Key>();
  static constexpr GpuKernel small = make_gpu_kernel<Small, Key>();

  template <unsigned mode, unsigned direction>
  static cudaError_t crypt_range(const GpuRange& range, cudaStream_t stream) {
    return launch_by_memory<Large, Small>([&]<class Core>(std::type_identity<Core>) {
      constexpr const GpuKernel& kernel = std::is_same_v<Core, Large> ? large : small;
      return kernel.range[mode][direction](range, stream);
    });
  }

  template <unsigned mode>
  static constexpr void set_mode(GpuKernel& kernel) {
    if (large.range[mode][0] != nullptr) kernel.range[mode][0] = crypt_range<mode, 0>;
    if (large.range[mode][1] != nullptr) kernel.range[mode][1] = crypt_range<mode, 1>;
    if constexpr (mode + 1 != num_range_modes) set_mode<mode + 1>(kernel);
  }
  static constexpr GpuKernel make() {
    GpuKernel kernel = large;
    set_mode<0>(kernel);
    return kernel;
  }
};

}  // namespace
}  // namespace phalanx
