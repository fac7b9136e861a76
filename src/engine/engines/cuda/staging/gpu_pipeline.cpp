#include "engine/engines/cuda/staging/gpu_pipeline.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/engines/cuda/gpu_hash.hpp"
#include "engine/engines/cuda/staging/host_copies.hpp"

namespace phalanx {
namespace {

class Pipeline {
 public:
  Pipeline(GpuDevice& device, const GpuKey* key, const GpuWork& work)
      : device_(device),
        key_(key),
        work_(work),
        lock_(device.lock_slots(slots_)),
        reads_directly_(is_page_locked(work.in)),
        writes_directly_(work.out != nullptr && is_page_locked(work.out)) {}

  void run(std::size_t first, std::size_t last) {
    try {
      for (std::size_t share = first; share < last + GpuDevice::num_slots; ++share) {
        if (share >= first + GpuDevice::num_slots) finish(share - GpuDevice::num_slots);
        if (share < last) start(share);
      }
    } catch (...) {
      for (const GpuSlot& slot : *slots_)
        (void)cudaStreamSynchronize(slot.stream.get());  // it still uses the caller's memory
      throw;
    }
  }

 private:
  // Copies in, kernels and copies out have a stream each. A stream for each share may share one of the GPU's queues with
  // another's, and there a copy in would wait for the copies out that were enqueued before it.
  [[nodiscard]] cudaStream_t copies_in() const { return (*slots_)[0].stream.get(); }
  [[nodiscard]] cudaStream_t kernels() const { return (*slots_)[1].stream.get(); }
  [[nodiscard]] cudaStream_t copies_out() const { return (*slots_)[2].stream.get(); }
  static_assert(GpuDevice::num_slots == 3);

  GpuSlot& slot_of(std::size_t share) { return (*slots_)[share % GpuDevice::num_slots]; }
  [[nodiscard]] std::size_t offset_of(std::size_t share) const { return share * work_.share_blocks * work_.block_bytes; }
  [[nodiscard]] std::size_t blocks_of(std::size_t share) const {
    return std::min(work_.share_blocks, work_.num_blocks - share * work_.share_blocks);
  }

  void start(std::size_t share) {
    GpuSlot& slot = slot_of(share);
    const std::size_t num_bytes = blocks_of(share) * work_.block_bytes;
    const std::uint8_t* from = work_.in + offset_of(share);
    slot.used_bytes = std::max(slot.used_bytes, num_bytes);
    if (!reads_directly_) {
      copy_on_host(work_.num_threads, slot.host.data(), from, num_bytes);
      from = slot.host.data();
    }
    check_cuda(cudaMemcpyAsync(slot.device.data(), from, num_bytes, cudaMemcpyHostToDevice, copies_in()),
               "copying to the GPU");
    slot.copied_in.record(copies_in());
    slot.copied_in.delay(kernels());
    if (key_ != nullptr) crypt(share, slot);
    if (work_.hash != nullptr) hash(share, slot);
    slot.crypted.record(kernels());
    if (work_.out == nullptr) return;
    slot.crypted.delay(copies_out());
    std::uint8_t* to = writes_directly_ ? work_.out + offset_of(share) : slot.host.data();
    check_cuda(cudaMemcpyAsync(to, slot.device.data(), num_bytes, cudaMemcpyDeviceToHost, copies_out()),
               "copying from the GPU");
    slot.copied_out.record(copies_out());
  }

  void crypt(std::size_t share, const GpuSlot& slot) {
    GpuRange range{slot.device.data(), slot.device.data(), blocks_of(share), {}, nullptr, false};
    std::memcpy(range.iv, work_.states[share].data(), sizeof range.iv);
    const auto mode = static_cast<unsigned>(work_.mode);
    const GpuRangeFunction function = key_->kernel().range[mode][static_cast<unsigned>(work_.direction)];
    device_.run_with_key(*key_, kernels(), [&](const GpuScratch& scratch) {
      range.share_states = scratch.share_states;
      return function(range, kernels());
    });
  }

  void hash(std::size_t share, const GpuSlot& slot) {
    check_cuda(update_gpu_hash(work_.hash->key, work_.hash->state, slot.device.data(), blocks_of(share), kernels()),
               "starting a hash");
  }

  void finish(std::size_t share) {
    const GpuSlot& slot = slot_of(share);
    (work_.out == nullptr ? slot.crypted : slot.copied_out).wait();
    if (work_.out == nullptr || writes_directly_) return;
    copy_on_host(work_.num_threads, work_.out + offset_of(share), slot.host.data(), blocks_of(share) * work_.block_bytes);
  }

  GpuDevice& device_;
  const GpuKey* key_;
  const GpuWork& work_;
  GpuDevice::Slots* slots_ = nullptr;
  GpuDevice::SlotsLock lock_;
  bool reads_directly_;
  bool writes_directly_;
};

}  // namespace

void run_on_gpu(GpuDevice& device, const GpuKey* key, const GpuWork& work, std::size_t first, std::size_t last) {
  const CurrentDevice current(device.id());
  Pipeline(device, key, work).run(first, last);
}

}  // namespace phalanx
