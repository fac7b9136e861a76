// Memory of a GPU for the work of one call.
#pragma once

#include "engine/engines/cuda/gpu_device.hpp"

namespace phalanx {

/// Memory of a device's pool, for work on a stream: given back behind it, without a wait.
class StreamMemory {
 public:
  /// is_secret: it is wiped before it goes back.
  StreamMemory(GpuDevice& device, std::size_t num_bytes, cudaStream_t stream, bool is_secret = false)
      : stream_(stream), secret_bytes_(is_secret ? num_bytes : 0) {
    void* memory = nullptr;
    check_cuda(cudaMallocFromPoolAsync(&memory, num_bytes, device.memory_pool(), stream), "allocating device memory");
    data_ = static_cast<std::uint8_t*>(memory);
  }
  StreamMemory(const StreamMemory&) = delete;
  StreamMemory& operator=(const StreamMemory&) = delete;
  ~StreamMemory() {
    if (secret_bytes_ != 0) (void)cudaMemsetAsync(data_, 0, secret_bytes_, stream_);
    (void)cudaFreeAsync(data_, stream_);
  }

  [[nodiscard]] std::uint8_t* data() const { return data_; }
  /// From now on it goes back on this stream.
  void return_on(cudaStream_t stream) { stream_ = stream; }

 private:
  cudaStream_t stream_;
  std::size_t secret_bytes_;
  std::uint8_t* data_ = nullptr;
};

}  // namespace phalanx
