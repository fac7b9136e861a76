// What the CUDA runtime gives out, owned: memory that is wiped before it goes back, streams, events. A failed call throws
// Error (runtime).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace phalanx {

/// Throws Error (runtime), "CUDA: <what> failed: <why>", unless the call succeeded.
void check_cuda(cudaError_t error, const char* what);

/// The device whose memory all pointers but null ones are to; no_device if all are null. Throws Error (usage) if they are
/// not to memory of one device.
inline constexpr int no_device = -1;
int device_of_memory(std::initializer_list<const void*> pointers);
[[noreturn]] void fail_memory();

/// Makes a device the calling thread's current one, and on destruction that which was it before.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device);
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice();

 private:
  int before_ = 0;
  bool is_other_ = false;
};

/// Memory of the device that is current when it is made, or page-locked memory of the host. Of any content at first; wiped
/// when it is released, which waits for the device. The device must then be current again.
template <bool on_device>
class CudaBuffer {
 public:
  CudaBuffer() = default;
  explicit CudaBuffer(std::size_t num_bytes);
  CudaBuffer(CudaBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), num_bytes_(std::exchange(other.num_bytes_, 0)) {}
  CudaBuffer& operator=(CudaBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(num_bytes_, other.num_bytes_);
    return *this;
  }
  ~CudaBuffer();

  [[nodiscard]] std::uint8_t* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return num_bytes_; }
  /// Overwrites the first num_bytes with zeros and waits for it.
  void wipe(std::size_t num_bytes) noexcept;

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t num_bytes_ = 0;
};

using DeviceBuffer = CudaBuffer<true>;
using PinnedBuffer = CudaBuffer<false>;

/// A stream of the device that is current when it is made.
class CudaStream {
 public:
  CudaStream();
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  ~CudaStream();
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void synchronize() const;

  /// The number of anybody's stream, which no other gets, whatever becomes of it; no_id where CUDA gives none.
  static constexpr std::uint64_t no_id = ~std::uint64_t{0};
  static std::uint64_t id_of(cudaStream_t stream) noexcept;

 private:
  cudaStream_t stream_ = nullptr;
};

/// An event without a time, of the device that is current when it is made.
class CudaEvent {
 public:
  CudaEvent();
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  ~CudaEvent();
  void record(cudaStream_t stream) const;
  /// What is enqueued on the stream from now on waits for what was recorded.
  void delay(cudaStream_t stream) const;
  /// Waits for what was recorded, if anything was.
  void synchronize() const noexcept;
  /// The same, and throws where work on the GPU failed.
  void wait() const;

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace phalanx
