// Memory of a GPU, and the times of calls, for those programs of this folder that measure the library's own.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <phalanx/phalanx.hpp>
#include <vector>

namespace phalanx {

using ByteVector = std::vector<std::uint8_t>;

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

inline ByteVector random_bytes(std::size_t size, std::uint8_t seed) {
  ByteVector bytes(size);
  const ByteVector key(16, seed), iv(16, 0);
  Cipher("aes-128-ctr", key).encrypt(iv, bytes, bytes);
  return bytes;
}

struct DeviceMemory {
  std::uint8_t* data = nullptr;
  std::size_t num_bytes;

  explicit DeviceMemory(std::size_t size) : num_bytes(size) {
    check(cudaMalloc(reinterpret_cast<void**>(&data), size), "memory");
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { check(cudaFree(data), "memory"); }
  void set(const void* from) { check(cudaMemcpy(data, from, num_bytes, cudaMemcpyHostToDevice), "copy"); }
  void poison() { check(cudaMemset(data, 0xa5, num_bytes), "poison"); }
  void get(ByteVector& bytes) const { check(cudaMemcpy(bytes.data(), data, num_bytes, cudaMemcpyDeviceToHost), "copy"); }
};

/// Of calls that are enqueued one behind the other, as work of a stream is: what the GPU takes for each.
template <class Call>
double median_seconds(Call call) {
  constexpr int num_runs = 9;
  cudaEvent_t events[num_runs + 2];
  std::vector<decltype(call())> results;  // verdicts, which wait for their calls when they go
  for (cudaEvent_t& event : events) {
    check(cudaEventCreate(&event), "event");
    results.push_back(call());
    check(cudaEventRecord(event), "event");
  }
  check(cudaDeviceSynchronize(), "kernels");
  std::vector<float> milliseconds(num_runs);
  for (int i = 0; i < num_runs; ++i) {  // the first two calls warm up
    check(cudaEventElapsedTime(&milliseconds[i], events[i + 1], events[i + 2]), "event");
  }
  for (const cudaEvent_t event : events) check(cudaEventDestroy(event), "event");
  std::nth_element(milliseconds.begin(), milliseconds.begin() + num_runs / 2, milliseconds.end());
  return milliseconds[num_runs / 2] / 1e3;
}

}  // namespace phalanx
