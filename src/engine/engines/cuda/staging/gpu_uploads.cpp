#include "engine/engines/cuda/staging/gpu_uploads.hpp"

#include <algorithm>
#include <array>
#include <phalanx/error.hpp>
#include <utility>

#include "engine/engines/cuda/staging/gpu_transfer.hpp"
#include "engine/engines/cuda/staging/scatter_writes.hpp"
#include "engine/engines/cuda/stream_memory.hpp"

namespace phalanx {
namespace {

std::size_t round_up(std::size_t num_bytes) { return (num_bytes + 15) / 16 * 16; }

// On the current device.
class UploadTransfer final : GpuTransfer {
 public:
  UploadTransfer(GpuDevice& device, const DeviceUploadPlace& place, cudaStream_t stream)
      : GpuTransfer(device, SlotUse::alone, place.num_threads, stream),
        place_(place),
        is_page_locked_(is_page_locked(place.memory.data())) {
    device_.add_user();  // its staging buffers hold plaintext, whether there is a key or not
  }
  UploadTransfer(const UploadTransfer&) = delete;
  UploadTransfer& operator=(const UploadTransfer&) = delete;
  ~UploadTransfer() {
    wait_for_all();
    device_.remove_user();
  }

  [[nodiscard]] bool has_failed() const { return has_failed_; }

  UploadedPart bring(Bytes from, std::size_t num_note_bytes, const std::function<void(std::uint8_t*)>& write_notes) {
    const std::uint64_t number = begin_use();
    const Room room = room_for(from.size(), num_note_bytes, number);
    const std::size_t part_room = round_up(from.size());
    write_notes(room.host_notes);
    const GpuSlot& slot = slot_of(number);
    if (is_page_locked_) {
      GpuTransfer::copy(room.device, from.data(), from.size(), cudaMemcpyHostToDevice, slot);
      GpuTransfer::copy(room.device + part_room, room.host_notes, num_note_bytes, cudaMemcpyHostToDevice, slot);
    } else {
      copy_on_host(num_threads_, room.host_part, from.data(), from.size());
      GpuTransfer::copy(room.device, room.host_part, part_room + num_note_bytes, cudaMemcpyHostToDevice, slot);
    }
    return {number, room.device, room.device + part_room, slot.stream.get()};
  }

  void settle_later(const UploadedPart& part, std::function<void()> settle) {
    use_of(part.number).settle = std::move(settle);
  }

  // By way of the staging buffers.
  void write(std::uint64_t offset, Bytes bytes) {
    while (!bytes.empty()) {
      const std::uint64_t number = begin_use();
      GpuSlot& slot = slot_of(number);
      const Bytes now = bytes.first(std::min(bytes.size(), GpuDevice::slot_bytes));
      slot.used_bytes = std::max(slot.used_bytes, now.size());
      copy_on_host(num_threads_, slot.host.data(), now.data(), now.size());
      GpuTransfer::copy(place_.out + offset, slot.host.data(), now.size(), cudaMemcpyHostToDevice, slot);
      offset += now.size();
      bytes = bytes.subspan(now.size());
    }
  }

  void copy(std::uint64_t from, std::uint64_t num_bytes, std::uint64_t to) {
    const Bytes bytes = place_.memory.subspan(from, num_bytes);
    if (!is_page_locked_) return write(to, bytes);
    const std::uint64_t number = begin_use();
    GpuTransfer::copy(place_.out + to, bytes.data(), bytes.size(), cudaMemcpyHostToDevice, slot_of(number));
  }

  void finish() {
    if (has_failed_) return wait_for_all();
    const std::uint64_t first = num_uses_ < num_slots ? 0 : num_uses_ - num_slots;
    for (std::uint64_t number = first; number < num_uses_; ++number) settle(number);
  }

  void clear() const noexcept { GpuTransfer::clear(place_.out, place_.out_bytes); }

 private:
  // What the staging buffers, the streams and, of parts that are too long for them, memory of the part's own are used for.
  struct Use {
    std::function<void()> settle{};
    std::unique_ptr<StreamMemory> device{};
    PinnedBuffer host{};
  };
  struct Room {
    std::uint8_t* device;  // the part's bytes, and the notes behind them
    std::uint8_t* host_part;
    std::uint8_t* host_notes;
  };

  Use& use_of(std::uint64_t number) { return uses_[number % num_slots]; }

  // What had the staging buffer before has done with it.
  std::uint64_t begin_use() {
    if (num_uses_ >= num_slots) settle(num_uses_ - num_slots);
    return num_uses_++;
  }

  void settle(std::uint64_t number) {
    Use& use = use_of(number);
    slot_of(number).stream.synchronize();
    const Use done = std::exchange(use, Use());
    if (!done.settle) return;
    has_failed_ = true;
    done.settle();
    has_failed_ = false;
  }

  Room room_for(std::size_t num_bytes, std::size_t num_note_bytes, std::uint64_t number) {
    Use& use = use_of(number);
    GpuSlot& slot = slot_of(number);
    const std::size_t part_room = round_up(num_bytes);
    const std::size_t host_part_room = is_page_locked_ ? 0 : part_room;
    if (part_room + num_note_bytes > GpuDevice::slot_bytes)
      use.device = std::make_unique<StreamMemory>(device_, part_room + num_note_bytes, slot.stream.get(), true);
    const std::size_t host_room = host_part_room + num_note_bytes;
    if (host_room > GpuDevice::slot_bytes) use.host = PinnedBuffer(host_room);
    slot.used_device_bytes = GpuDevice::slot_bytes;
    slot.used_bytes = std::max(slot.used_bytes, std::min(host_room, GpuDevice::slot_bytes));
    std::uint8_t* const host = use.host.size() != 0 ? use.host.data() : slot.host.data();
    return {use.device != nullptr ? use.device->data() : slot.device.data(), host, host + host_part_room};
  }

  const DeviceUploadPlace place_;
  bool is_page_locked_;
  std::array<Use, num_slots> uses_{};
  std::uint64_t num_uses_ = 0;
  bool has_failed_ = false;
};

class GpuUploads final : public DeviceUploads {
 public:
  GpuUploads(GpuDevice& device, const DeviceUploadPlace& place, cudaStream_t stream)
      : device_(device), memory_(place.memory) {
    const CurrentDevice current(device.id());
    transfer_ = std::make_unique<UploadTransfer>(device, place, stream);
  }
  GpuUploads(const GpuUploads&) = delete;
  GpuUploads& operator=(const GpuUploads&) = delete;
  ~GpuUploads() override {
    try {
      const CurrentDevice current(device_.id());
      transfer_.reset();
    } catch (const Error&) {  // the device is gone, and all of its memory with it
    }
  }

  [[nodiscard]] std::size_t part_bytes() const override { return GpuDevice::slot_bytes; }
  [[nodiscard]] bool has_failed() const override { return transfer_->has_failed(); }
  UploadedPart bring(std::uint64_t offset, std::size_t num_bytes, std::size_t num_note_bytes,
                     const std::function<void(std::uint8_t*)>& write_notes) override {
    const CurrentDevice current(device_.id());
    return transfer_->bring(memory_.subspan(offset, num_bytes), num_note_bytes, write_notes);
  }
  void scatter(const UploadedPart& part, const ScatterWrites& writes) override {
    const CurrentDevice current(device_.id());
    check_cuda(put_scatter_writes(writes, static_cast<cudaStream_t>(part.stream)), "starting a kernel");
  }
  void settle_later(const UploadedPart& part, std::function<void()> settle) override {
    transfer_->settle_later(part, std::move(settle));
  }
  void write(std::uint64_t offset, Bytes bytes) override {
    if (has_failed()) return;
    const CurrentDevice current(device_.id());
    transfer_->write(offset, bytes);
  }
  void copy(std::uint64_t from, std::uint64_t num_bytes, std::uint64_t to) override {
    if (has_failed()) return;
    const CurrentDevice current(device_.id());
    transfer_->copy(from, num_bytes, to);
  }
  void finish() override {
    const CurrentDevice current(device_.id());
    transfer_->finish();
  }
  void clear() noexcept override {
    try {
      const CurrentDevice current(device_.id());
      transfer_->clear();
    } catch (const Error&) {  // the device is gone
    }
  }

 private:
  GpuDevice& device_;
  Bytes memory_;
  std::unique_ptr<UploadTransfer> transfer_;
};

}  // namespace

std::unique_ptr<DeviceUploads> begin_gpu_uploads(GpuDevice& device, const DeviceUploadPlace& place, cudaStream_t stream) {
  return std::make_unique<GpuUploads>(device, place, stream);
}

}  // namespace phalanx
