// What goes through the staging buffers piece by piece, each on its own stream, behind what a caller's stream has: what
// chunks of containers and uploads have in common.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>

#include "engine/engines/cuda/gpu_device.hpp"
#include "engine/engines/cuda/staging/host_copies.hpp"
#include "engine/engines/keyed_device_aead.hpp"

namespace phalanx {

/// Seals or opens messages whose arrays are in the current device's memory, on a stream.
using CryptArrays = std::function<std::unique_ptr<DeviceBatchResult>(const DeviceBatchArrays& arrays, cudaStream_t stream)>;

class GpuTransfer {
 public:
  /// On the current device, behind nothing. num_threads: of copies in the host's memory, 0: all.
  GpuTransfer(GpuDevice& device, SlotUse use, int num_threads)
      : device_(device), num_threads_(num_threads), lock_(device.lock_slots(slots_, use)) {}
  /// Behind what is on `stream`.
  GpuTransfer(GpuDevice& device, SlotUse use, int num_threads, cudaStream_t stream) : GpuTransfer(device, use, num_threads) {
    const CudaEvent before;
    before.record(stream);
    for (const GpuSlot& slot : *slots_) before.delay(slot.stream.get());
  }
  GpuTransfer(const GpuTransfer&) = delete;
  GpuTransfer& operator=(const GpuTransfer&) = delete;
  ~GpuTransfer() { wait_for_all(); }  // the streams may use the caller's memory

 protected:
  static constexpr std::size_t num_slots = GpuDevice::num_slots;

  [[nodiscard]] GpuSlot& slot_of(std::uint64_t number) { return (*slots_)[number % num_slots]; }

  static void copy(void* to, const void* from, std::size_t num_bytes, cudaMemcpyKind kind, const GpuSlot& slot) {
    if (num_bytes == 0) return;
    check_cuda(cudaMemcpyAsync(to, from, num_bytes, kind, slot.stream.get()), "copying between the host and the GPU");
  }

  /// Throws Error (runtime) if the GPU failed.
  void synchronize_all() const {
    for (const GpuSlot& slot : *slots_) slot.stream.synchronize();
  }
  void wait_for_all() const noexcept {
    for (const GpuSlot& slot : *slots_) (void)cudaStreamSynchronize(slot.stream.get());
  }
  /// Waits, and overwrites memory of the device with zeros.
  void clear(std::uint8_t* out, std::size_t num_bytes) const noexcept {
    wait_for_all();
    (void)cudaMemsetAsync(out, 0, num_bytes, slots_->front().stream.get());
  }

  GpuDevice& device_;
  int num_threads_;

 private:
  GpuDevice::Slots* slots_ = nullptr;
  GpuDevice::SlotsLock lock_;
};

}  // namespace phalanx
