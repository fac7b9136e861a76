// What the GPU programs of reproductions/ share: errors, memory, and the GPU's clock.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "reproductions/paper_program.hpp"

namespace papers {

/// Exits 1 unless `error` is cudaSuccess.
inline void require_success(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/// Exits 77, having said so, if there is no GPU; otherwise prints its name as a fact.
inline void require_gpu() {
  int num_devices = 0;
  if (cudaGetDeviceCount(&num_devices) != cudaSuccess || num_devices == 0) {
    print_skipped("the GPU's half", "no NVIDIA GPU here");
    std::exit(cannot_run);
  }
  cudaDeviceProp properties{};
  require_success(cudaGetDeviceProperties(&properties, 0), "the GPU's properties");
  print_line({"fact", "gpu", properties.name});
}

/// The GPU's global memory: `size()` elements.
template <class Element>
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t size) : size_(size) {
    void* memory = nullptr;
    require_success(cudaMalloc(&memory, size * sizeof(Element)), "memory of the GPU");
    elements_ = static_cast<Element*>(memory);
  }
  ~DeviceMemory() { cudaFree(elements_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  [[nodiscard]] Element* get() const { return elements_; }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// The first `count` elements, from and to the host's memory; both wait.
  void copy_in(const Element* from, std::size_t count) {
    require_success(cudaMemcpy(elements_, from, count * sizeof(Element), cudaMemcpyHostToDevice), "a copy to the GPU");
  }
  void copy_out(Element* to, std::size_t count) const {
    require_success(cudaMemcpy(to, elements_, count * sizeof(Element), cudaMemcpyDeviceToHost), "a copy from the GPU");
  }

 private:
  std::size_t size_;
  Element* elements_;
};

/// Seconds between two points of the default stream, by the GPU's clock.
class GpuTimer {
 public:
  GpuTimer() {
    for (cudaEvent_t& event : events_) require_success(cudaEventCreate(&event), "an event");
  }
  ~GpuTimer() {
    for (cudaEvent_t& event : events_) cudaEventDestroy(event);
  }
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  /// How long the GPU takes for what `work` launches. Waits for it, and exits 1 if a launch failed.
  template <class Work>
  double seconds_of(const Work& work) {
    require_success(cudaEventRecord(events_[0]), "an event");
    work();
    require_success(cudaGetLastError(), "a launch");
    require_success(cudaEventRecord(events_[1]), "an event");
    require_success(cudaEventSynchronize(events_[1]), "a kernel");
    float milliseconds = 0;
    require_success(cudaEventElapsedTime(&milliseconds, events_[0], events_[1]), "an event");
    return milliseconds / 1e3;
  }

 private:
  cudaEvent_t events_[2]{};
};

}  // namespace papers
