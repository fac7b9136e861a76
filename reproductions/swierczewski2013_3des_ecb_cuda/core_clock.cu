#include "reproductions/paper_gpu.hpp"
#include "reproductions/swierczewski2013_3des_ecb_cuda/core_clock.hpp"

namespace papers::swierczewski2013 {
namespace {

constexpr long long num_cycles = 1LL << 27;  // less than a tenth of a second

__device__ unsigned long long nanoseconds_now() {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void wait_for_cycles(long long* cycles, unsigned long long* nanoseconds) {
  const unsigned long long first_nanosecond = nanoseconds_now();
  const long long first_cycle = clock64();
  while (clock64() - first_cycle < num_cycles) {
  }
  *cycles = clock64() - first_cycle;
  *nanoseconds = nanoseconds_now() - first_nanosecond;
}

}  // namespace

int num_cuda_cores() {
  int device = 0;
  cudaDeviceProp properties{};
  require_success(cudaGetDevice(&device), "the GPU in use");
  require_success(cudaGetDeviceProperties(&properties, device), "the GPU's properties");
  const bool has_half = properties.major == 7 || (properties.major == 8 && properties.minor == 0);
  return properties.multiProcessorCount * (has_half ? 64 : 128);
}

double clock_rate_under(const std::function<void()>& launch_kernels) {
  DeviceMemory<long long> cycles(1);
  DeviceMemory<unsigned long long> nanoseconds(1);
  cudaStream_t stream = nullptr;
  require_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
  // One thread, which is on its multiprocessor before the kernels come.
  wait_for_cycles<<<1, 1, 0, stream>>>(cycles.get(), nanoseconds.get());
  launch_kernels();
  require_success(cudaGetLastError(), "a launch");
  require_success(cudaDeviceSynchronize(), "the kernels");
  require_success(cudaStreamDestroy(stream), "a stream");
  long long counted = 0;
  unsigned long long took = 0;
  cycles.copy_out(&counted, 1);
  nanoseconds.copy_out(&took, 1);
  return static_cast<double>(counted) / (static_cast<double>(took) / 1e9);
}

}  // namespace papers::swierczewski2013
