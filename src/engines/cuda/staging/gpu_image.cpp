#include "engines/cuda/staging/gpu_image.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <phalanx/error.hpp>
#include <string>

#include "engines/cuda/staging/gpu_patches.hpp"
#include "engines/cuda/staging/gpu_transfer.hpp"
#include "engines/cuda/stream_memory.hpp"
#include "modes/mode_facts.hpp"

namespace phalanx {
namespace {

constexpr std::size_t tag_bytes = 16;

std::size_t round_up(std::size_t num_bytes) { return (num_bytes + 15) / 16 * 16; }

// What kernels are told of a part, one array behind the other: where each begins.
struct Notes {
  std::size_t in_offsets, out_offsets, lengths, associated_starts, plain_starts, plain_offsets;
  std::size_t nonces, associated_data, plain;
  std::size_t num_bytes;
};

class NoteWriter {
 public:
  // nullptr: only counts.
  explicit NoteWriter(std::uint8_t* memory) : memory_(memory) {}

  Notes put(const DeviceImagePart& part) {
    Notes notes{};
    notes.in_offsets = put_array(part.in_offsets);
    notes.out_offsets = put_array(part.out_offsets);
    notes.lengths = put_array(part.lengths);
    notes.associated_starts = put_array(part.associated_starts);
    notes.plain_starts = put_array(part.plain_starts);
    notes.plain_offsets = put_array(part.plain_offsets);
    notes.nonces = put_array(part.nonces);
    notes.associated_data = put_array(part.associated_data);
    notes.plain = put_array(part.plain);
    notes.num_bytes = num_bytes_;
    return notes;
  }

 private:
  template <class T>
  std::size_t put_array(const std::vector<T>& array) {
    const std::size_t at = num_bytes_;
    const std::size_t size = array.size() * sizeof(T);
    if (memory_ != nullptr && size != 0) std::memcpy(memory_ + at, array.data(), size);
    num_bytes_ += round_up(size);
    return at;
  }

  std::uint8_t* memory_;
  std::size_t num_bytes_ = 0;
};

// On the current device.
class ImageTransfer final : GpuTransfer {
 public:
  ImageTransfer(GpuDevice& device, const DeviceImagePlace& place, cudaStream_t stream)
      : GpuTransfer(device, SlotUse::alone, place.num_threads, stream),
        place_(place),
        is_page_locked_(is_page_locked(place.file.data())) {
    device_.add_user();  // its staging buffers hold plaintext, whether there is a key or not
  }
  ImageTransfer(const ImageTransfer&) = delete;
  ImageTransfer& operator=(const ImageTransfer&) = delete;
  ~ImageTransfer() {
    wait_for_all();
    device_.remove_user();
  }

  void open(const KeyedDeviceAead& key, DeviceImagePart part) {
    if (has_failed_) return;
    check(part);
    const std::uint64_t start = part.out_offsets.empty() ? 0 : part.out_offsets.front();
    for (std::uint64_t& offset : part.out_offsets) offset -= start;
    const std::uint64_t number = begin_use();
    Use& use = use_of(number);
    const Room room = room_for(part, number);
    const Notes notes = NoteWriter(room.host_notes).put(part);
    bring(part, notes, room, slot_of(number));
    const std::uint8_t* const told = room.device + round_up(part.num_bytes);
    const auto numbers = [told](std::size_t at) { return reinterpret_cast<const std::uint64_t*>(told + at); };
    check_cuda(put_gpu_patches({told + notes.plain, numbers(notes.plain_starts), numbers(notes.plain_offsets),
                                part.plain_offsets.size(), place_.out},
                               slot_of(number).stream.get()),
               "starting a kernel");
    if (part.in_offsets.empty()) return;
    DeviceBatchArrays arrays = arrays_of(part, notes, told);
    arrays.in = room.device;
    arrays.out = place_.out + start;
    use.verdicts = key.crypt_batch(Direction::decrypt, arrays, slot_of(number).stream.get());
    use.fail = std::move(part.fail);
  }

  void write(std::uint64_t offset, Bytes plain) {
    if (has_failed_) return;
    check_place(offset, plain.size());
    put(offset, plain);
  }

  void copy_from_file(std::uint64_t from, std::uint64_t num_bytes, std::uint64_t to) {
    if (has_failed_) return;
    check_place(to, num_bytes);
    const Bytes bytes = place_.file.subspan(from, num_bytes);
    if (!is_page_locked_) return put(to, bytes);
    const std::uint64_t number = begin_use();
    copy(place_.out + to, bytes.data(), bytes.size(), cudaMemcpyHostToDevice, slot_of(number));
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
    std::unique_ptr<DeviceBatchResult> verdicts{};
    std::function<void(std::size_t message)> fail{};
    std::unique_ptr<StreamMemory> device{};
    PinnedBuffer host{};
  };
  struct Room {
    std::uint8_t* device;  // the part's sealed bytes, and the notes behind them
    std::uint8_t* host_part;
    std::uint8_t* host_notes;
  };

  Use& use_of(std::uint64_t number) { return uses_[number % num_slots]; }

  // What had the staging buffer before has done with it.
  std::uint64_t begin_use() {
    if (num_uses_ >= num_slots) settle(num_uses_ - num_slots);
    const std::uint64_t number = num_uses_++;
    return number;
  }

  void settle(std::uint64_t number) {
    Use& use = use_of(number);
    slot_of(number).stream.synchronize();
    const Use done = std::exchange(use, Use());
    if (done.verdicts == nullptr || done.verdicts->are_all_authentic()) return;
    has_failed_ = true;
    std::vector<std::uint8_t> each(done.verdicts->num_messages());
    done.verdicts->read(each);
    const auto bad = std::ranges::find_if(each, [](std::uint8_t verdict) { return verdict != verdict_authentic; });
    done.fail(static_cast<std::size_t>(bad - each.begin()));
  }

  Room room_for(const DeviceImagePart& part, std::uint64_t number) {
    Use& use = use_of(number);
    GpuSlot& slot = slot_of(number);
    const std::size_t part_room = round_up(part.num_bytes), notes_room = NoteWriter(nullptr).put(part).num_bytes;
    const std::size_t host_part_room = is_page_locked_ ? 0 : part_room;
    if (part_room + notes_room > GpuDevice::slot_bytes)
      use.device = std::make_unique<StreamMemory>(device_, part_room + notes_room, slot.stream.get(), true);
    const std::size_t host_room = host_part_room + notes_room;
    if (host_room > GpuDevice::slot_bytes) use.host = PinnedBuffer(host_room);
    slot.used_device_bytes = GpuDevice::slot_bytes;
    slot.used_bytes = std::max(slot.used_bytes, std::min(host_room, GpuDevice::slot_bytes));
    std::uint8_t* const host = use.host.size() != 0 ? use.host.data() : slot.host.data();
    return {use.device != nullptr ? use.device->data() : slot.device.data(), host, host + host_part_room};
  }

  void bring(const DeviceImagePart& part, const Notes& notes, const Room& room, const GpuSlot& slot) {
    const std::size_t part_room = round_up(part.num_bytes);
    const std::uint8_t* const from = place_.file.data() + part.offset;
    if (is_page_locked_) {
      copy(room.device, from, part.num_bytes, cudaMemcpyHostToDevice, slot);
      copy(room.device + part_room, room.host_notes, notes.num_bytes, cudaMemcpyHostToDevice, slot);
    } else {
      copy_on_host(num_threads_, room.host_part, from, part.num_bytes);
      copy(room.device, room.host_part, part_room + notes.num_bytes, cudaMemcpyHostToDevice, slot);
    }
  }

  static DeviceBatchArrays arrays_of(const DeviceImagePart& part, const Notes& notes, const std::uint8_t* told) {
    DeviceBatchArrays arrays{};
    arrays.in_bytes = part.num_bytes;
    arrays.in_offsets = told + notes.in_offsets;
    arrays.lengths = told + notes.lengths;
    arrays.out_offsets = told + notes.out_offsets;
    arrays.out_bytes = part.out_offsets.back() + part.lengths.back();
    arrays.nonces = told + notes.nonces;
    arrays.associated = told + notes.associated_data;
    arrays.associated_bytes = part.associated_data.size();
    arrays.associated_offsets = told + notes.associated_starts;
    arrays.num_messages = part.in_offsets.size();
    arrays.offset_bytes = sizeof(std::uint64_t);
    arrays.tag_bytes = part.has_tags ? tag_bytes : 0;
    arrays.nonce_bytes = gcm_nonce_bytes;
    arrays.tag_place = TagPlace::behind_in;
    arrays.is_bare = !part.has_tags;
    return arrays;
  }

  // By way of the staging buffers.
  void put(std::uint64_t offset, Bytes plain) {
    while (!plain.empty()) {
      const std::uint64_t number = begin_use();
      GpuSlot& slot = slot_of(number);
      const Bytes now = plain.first(std::min(plain.size(), GpuDevice::slot_bytes));
      slot.used_bytes = std::max(slot.used_bytes, now.size());
      copy_on_host(num_threads_, slot.host.data(), now.data(), now.size());
      copy(place_.out + offset, slot.host.data(), now.size(), cudaMemcpyHostToDevice, slot);
      offset += now.size();
      plain = plain.subspan(now.size());
    }
  }

  void check_place(std::uint64_t offset, std::uint64_t num_bytes) const {
    if (offset <= place_.out_bytes && num_bytes <= place_.out_bytes - offset) return;
    throw Error(ErrorCode::usage, "the plain file does not fit into " + std::to_string(place_.out_bytes) +
                                      " bytes: give as many as the encrypted one has");
  }
  void check(const DeviceImagePart& part) const {
    for (std::size_t i = 0; i < part.out_offsets.size(); ++i) check_place(part.out_offsets[i], part.lengths[i]);
    for (std::size_t i = 0; i < part.plain_offsets.size(); ++i)
      check_place(part.plain_offsets[i], part.plain_starts[i + 1] - part.plain_starts[i]);
  }

  const DeviceImagePlace place_;
  bool is_page_locked_;
  std::array<Use, num_slots> uses_{};
  std::uint64_t num_uses_ = 0;
  bool has_failed_ = false;
};

class GpuImage final : public DeviceImage {
 public:
  GpuImage(GpuDevice& device, const DeviceImagePlace& place, cudaStream_t stream) : device_(device) {
    const CurrentDevice current(device.id());
    transfer_ = std::make_unique<ImageTransfer>(device, place, stream);
  }
  GpuImage(const GpuImage&) = delete;
  GpuImage& operator=(const GpuImage&) = delete;
  ~GpuImage() override {
    try {
      const CurrentDevice current(device_.id());
      transfer_.reset();
    } catch (const Error&) {  // the device is gone, and all of its memory with it
    }
  }

  [[nodiscard]] std::size_t part_bytes() const override { return GpuDevice::slot_bytes; }
  void open(const KeyedDeviceAead& key, DeviceImagePart part) override {
    const CurrentDevice current(device_.id());
    transfer_->open(key, std::move(part));
  }
  void write(std::uint64_t offset, Bytes plain) override {
    const CurrentDevice current(device_.id());
    transfer_->write(offset, plain);
  }
  void copy(std::uint64_t from, std::uint64_t num_bytes, std::uint64_t to) override {
    const CurrentDevice current(device_.id());
    transfer_->copy_from_file(from, num_bytes, to);
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
  std::unique_ptr<ImageTransfer> transfer_;
};

}  // namespace

std::unique_ptr<DeviceImage> begin_gpu_image(GpuDevice& device, const DeviceImagePlace& place, cudaStream_t stream) {
  return std::make_unique<GpuImage>(device, place, stream);
}

}  // namespace phalanx
