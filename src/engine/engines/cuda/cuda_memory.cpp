#include "engine/engines/cuda/cuda_memory.hpp"

#include <phalanx/error.hpp>
#include <string>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

void check_cuda(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  (void)cudaGetLastError();  // or the next call that asks for the last error would get this one
  throw Error(ErrorCode::runtime, std::string("CUDA: ") + what + " failed: " + cudaGetErrorString(error));
}

int device_of_memory(std::initializer_list<const void*> pointers) {
  int found = no_device;
  const void* last = nullptr;
  for (const void* pointer : pointers) {
    if (pointer == nullptr || pointer == last) continue;
    last = pointer;
    cudaPointerAttributes memory;
    check_cuda(cudaPointerGetAttributes(&memory, pointer), "asking for the kind of memory");
    const bool is_device = memory.type == cudaMemoryTypeDevice || memory.type == cudaMemoryTypeManaged;
    if (!is_device || (found != no_device && memory.device != found)) fail_memory();
    found = memory.device;
  }
  return found;
}
void fail_memory() { throw Error(ErrorCode::usage, "the pointers are not all to memory of one GPU of this engine"); }

CurrentDevice::CurrentDevice(int device) {
  check_cuda(cudaGetDevice(&before_), "asking for the current device");
  is_other_ = before_ != device;
  if (is_other_) check_cuda(cudaSetDevice(device), "choosing a device");
}
CurrentDevice::~CurrentDevice() {
  if (is_other_) (void)cudaSetDevice(before_);
}

template <bool on_device>
CudaBuffer<on_device>::CudaBuffer(std::size_t num_bytes) : num_bytes_(num_bytes) {
  void* memory = nullptr;
  if constexpr (on_device) {
    check_cuda(cudaMalloc(&memory, num_bytes), "allocating device memory");
  } else {
    check_cuda(cudaHostAlloc(&memory, num_bytes, cudaHostAllocDefault), "allocating page-locked memory");
  }
  data_ = static_cast<std::uint8_t*>(memory);
}

template <bool on_device>
CudaBuffer<on_device>::~CudaBuffer() {
  if (data_ == nullptr) return;
  wipe(num_bytes_);
  (void)(on_device ? cudaFree(data_) : cudaFreeHost(data_));
}

template <bool on_device>
void CudaBuffer<on_device>::wipe(std::size_t num_bytes) noexcept {
  (void)cudaDeviceSynchronize();  // nothing may still write there
  if constexpr (on_device) {
    (void)cudaMemset(data_, 0, num_bytes);
    (void)cudaDeviceSynchronize();
  } else {
    wipe_memory(data_, num_bytes);
  }
}

template class CudaBuffer<true>;
template class CudaBuffer<false>;

CudaStream::CudaStream() { check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream"); }
CudaStream::~CudaStream() { (void)cudaStreamDestroy(stream_); }
void CudaStream::synchronize() const { check_cuda(cudaStreamSynchronize(stream_), "work on the GPU"); }

std::uint64_t CudaStream::id_of(cudaStream_t stream) noexcept {
#if CUDART_VERSION >= 12000
  unsigned long long id = 0;
  if (cudaStreamGetId(stream, &id) == cudaSuccess) return id;
  (void)cudaGetLastError();
#else
  (void)stream;
#endif
  return no_id;
}

CudaEvent::CudaEvent() { check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event"); }
CudaEvent::~CudaEvent() { (void)cudaEventDestroy(event_); }
void CudaEvent::record(cudaStream_t stream) const { check_cuda(cudaEventRecord(event_, stream), "recording an event"); }
void CudaEvent::delay(cudaStream_t stream) const {
  check_cuda(cudaStreamWaitEvent(stream, event_, 0), "waiting for an event");
}
void CudaEvent::synchronize() const noexcept { (void)cudaEventSynchronize(event_); }
void CudaEvent::wait() const { check_cuda(cudaEventSynchronize(event_), "work on the GPU"); }

}  // namespace phalanx
