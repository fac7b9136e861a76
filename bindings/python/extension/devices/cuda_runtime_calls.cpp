#include "devices/cuda_runtime_calls.hpp"

#include <cuda_runtime_api.h>

#include <phalanx/error.hpp>
#include <string>

namespace phalanx {
namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  throw Error(ErrorCode::runtime, std::string("CUDA failed at ") + what + ": " + cudaGetErrorString(error));
}

// The device of a scope.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    check(cudaGetDevice(&before_), "finding the device");
    check(cudaSetDevice(device), "choosing the device");
  }
  ~OnDevice() { (void)cudaSetDevice(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

}  // namespace

void* allocate_device_memory(std::size_t num_bytes, int device) {
  const OnDevice on(device);
  void* memory = nullptr;
  check(cudaMalloc(&memory, num_bytes == 0 ? 1 : num_bytes), "allocating memory");
  return memory;
}

void free_device_memory(void* memory, int device) noexcept {
  try {
    const OnDevice on(device);
    (void)cudaFree(memory);
  } catch (const Error&) {  // the device is gone, and the memory with it
  }
}

int device_of(const void* memory) {
  int device = 0;
  if (memory == nullptr) {
    check(cudaGetDevice(&device), "finding the device");
    return device;
  }
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, memory), "looking at a pointer");
  return attributes.device;
}

void order_streams(void* before, void* after, int device) {
  if (before == after) return;
  const OnDevice on(device);
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
  const cudaError_t recorded = cudaEventRecord(event, static_cast<cudaStream_t>(before));
  const cudaError_t waits = cudaStreamWaitEvent(static_cast<cudaStream_t>(after), event, 0);
  (void)cudaEventDestroy(event);  // once it is past
  check(recorded, "recording an event");
  check(waits, "waiting for an event");
}

void wait_for_devices() noexcept {
  int num_devices = 0;
  int before = 0;
  if (cudaGetDevice(&before) != cudaSuccess || cudaGetDeviceCount(&num_devices) != cudaSuccess) return;
  for (int device = 0; device < num_devices; ++device) {
    if (cudaSetDevice(device) == cudaSuccess) (void)cudaDeviceSynchronize();
  }
  (void)cudaSetDevice(before);
}

}  // namespace phalanx
