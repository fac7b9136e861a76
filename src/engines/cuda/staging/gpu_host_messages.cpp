#include "engines/cuda/staging/gpu_host_messages.hpp"

#include <cstring>
#include <vector>

#include "modes/mode_facts.hpp"
#include "secrets/wiped_memory.hpp"
#include "threads/threads.hpp"

namespace phalanx {
namespace {

constexpr std::size_t full_tag_bytes = 16;

// Of a slice: so that one is on its way to the GPU, while the next one is copied to a staging buffer and the one before from
// another. A longer message is a slice of its own.
constexpr std::size_t slice_bytes = std::size_t{4} << 20;

constexpr std::size_t round_up(std::size_t num_bytes) { return (num_bytes + 15) / 16 * 16; }

// What a message takes of a staging buffer: text, three numbers, nonce, tag, verdict, associated data.
constexpr std::size_t bytes_beside_text = 3 * sizeof(std::uint64_t) + gcm_nonce_bytes + full_tag_bytes + 1;
constexpr std::size_t rounding_bytes = 128;  // of all arrays
std::size_t room_of(const GcmMessage& message) {
  return round_up(message.num_bytes) + bytes_beside_text + message.associated_bytes;
}

// Some messages that go together, whose tags have one size.
struct Slice {
  std::size_t first = 0, count = 0;
  std::size_t room = 0;
  std::size_t tag_bytes = full_tag_bytes;
};

// Where what is said of a slice lies in its staging buffer, behind the texts.
struct Places {
  std::size_t tags, offsets, lengths, associated_starts, nonces, associated, verdicts, end;

  Places(std::size_t texts_bytes, std::size_t associated_bytes, const Slice& slice) {
    std::size_t next = texts_bytes;
    const auto place = [&next](std::size_t num_bytes) {
      const std::size_t here = next;
      next += round_up(num_bytes);
      return here;
    };
    tags = place(slice.count * slice.tag_bytes);
    offsets = place(slice.count * sizeof(std::uint64_t));
    lengths = place(slice.count * sizeof(std::uint64_t));
    associated_starts = place((slice.count + 1) * sizeof(std::uint64_t));
    nonces = place(slice.count * gcm_nonce_bytes);
    associated = place(associated_bytes);
    verdicts = place(slice.count);
    end = next;
  }
};

class MessageTransfer final : GpuTransfer {
 public:
  MessageTransfer(GpuDevice& device, const CryptArrays& crypt, Direction direction, Unverified unverified,
                  std::span<GcmMessage* const> messages, int num_threads)
      : GpuTransfer(device, SlotUse::alone, num_threads),
        crypt_(crypt),
        encrypts_(direction == Direction::encrypt),
        unverified_(unverified),
        messages_(messages) {
    for (const GcmMessage* message : messages) add_to_slices(*message);
  }

  void run() {
    constexpr std::size_t on_their_way = num_slots - 1;
    for (std::size_t number = 0; number < slices_.size() + on_their_way; ++number) {
      if (number < slices_.size()) start(number);
      if (number >= on_their_way) finish(number - on_their_way);
    }
  }

 private:
  void add_to_slices(const GcmMessage& message) {
    const std::size_t tag_bytes = encrypts_ ? full_tag_bytes : message.tag_bytes;
    const std::size_t room = room_of(message);
    if (slices_.empty() || slices_.back().tag_bytes != tag_bytes || slices_.back().room + room > slice_bytes) {
      const std::size_t first = slices_.empty() ? 0 : slices_.back().first + slices_.back().count;
      slices_.push_back({.first = first, .tag_bytes = tag_bytes});
    }
    slices_.back().room += room;
    ++slices_.back().count;
  }

  [[nodiscard]] std::span<GcmMessage* const> messages_of(const Slice& slice) const {
    return messages_.subspan(slice.first, slice.count);
  }
  [[nodiscard]] Places places_of(const Slice& slice) const {
    std::size_t texts_bytes = 0, associated_bytes = 0;
    for (const GcmMessage* message : messages_of(slice)) {
      texts_bytes += round_up(message->num_bytes);
      associated_bytes += message->associated_bytes;
    }
    return {texts_bytes, associated_bytes, slice};
  }

  // What kernels are told. Returns where each text begins.
  const std::uint64_t* write_notes(const Slice& slice, const Places& places, std::uint8_t* host) const {
    const auto numbers = [host](std::size_t place) { return reinterpret_cast<std::uint64_t*>(host + place); };
    std::uint64_t offset = 0, associated = 0;
    numbers(places.associated_starts)[0] = 0;
    for (std::size_t i = 0; i < slice.count; ++i) {
      const GcmMessage& message = *messages_[slice.first + i];
      numbers(places.offsets)[i] = offset;
      numbers(places.lengths)[i] = message.num_bytes;
      offset += round_up(message.num_bytes);
      std::memcpy(host + places.nonces + i * gcm_nonce_bytes, message.nonce, gcm_nonce_bytes);
      if (!encrypts_) std::memcpy(host + places.tags + i * slice.tag_bytes, message.expected_tag, slice.tag_bytes);
      if (message.associated_bytes != 0)
        std::memcpy(host + places.associated + associated, message.associated_data, message.associated_bytes);
      associated += message.associated_bytes;
      numbers(places.associated_starts)[i + 1] = associated;
    }
    return numbers(places.offsets);
  }

  static DeviceGcmArrays arrays_of(const Slice& slice, const Places& places, std::uint8_t* device) {
    DeviceGcmArrays arrays{};
    arrays.in = arrays.out = device;
    arrays.in_bytes = arrays.out_bytes = places.tags;
    arrays.associated = device + places.associated;
    arrays.associated_bytes = places.verdicts - places.associated;
    arrays.in_offsets = device + places.offsets;
    arrays.lengths = device + places.lengths;
    arrays.associated_offsets = device + places.associated_starts;
    arrays.nonces = device + places.nonces;
    arrays.tags = device + places.tags;
    arrays.num_messages = slice.count;
    arrays.offset_bytes = sizeof(std::uint64_t);
    arrays.tag_bytes = static_cast<unsigned>(slice.tag_bytes);
    arrays.nonce_bytes = gcm_nonce_bytes;
    arrays.tag_place = GcmTags::apart;
    return arrays;
  }

  // body(message, text in the staging buffer, i) for each message of a slice.
  template <class Body>
  void each_message(const Slice& slice, const std::uint64_t* offsets, std::uint8_t* texts, const Body& body) const {
    run_parallel(num_threads_, slice.count, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) body(*messages_[slice.first + i], texts + offsets[i], i);
    });
  }

  void start(std::size_t number) {
    const Slice& slice = slices_[number];
    const Places places = places_of(slice);
    GpuSlot& slot = slot_of(number);
    slot.used_bytes = std::max(slot.used_bytes, places.end);
    std::uint8_t* const host = slot.host.data();
    const std::uint64_t* const offsets = write_notes(slice, places, host);
    each_message(slice, offsets, host, [](const GcmMessage& message, std::uint8_t* text, std::size_t /*i*/) {
      if (message.num_bytes != 0) std::memcpy(text, message.in, message.num_bytes);
    });
    copy(slot.device.data(), host, places.end, cudaMemcpyHostToDevice, slot);
    const auto verdicts = crypt_(arrays_of(slice, places, slot.device.data()), slot.stream.get());
    // Sealed texts with their tags behind them; of what is opened the verdicts too.
    copy(host, slot.device.data(), encrypts_ ? places.offsets : places.tags, cudaMemcpyDeviceToHost, slot);
    if (!encrypts_) copy(host + places.verdicts, verdicts->each(), slice.count, cudaMemcpyDeviceToHost, slot);
    verdicts->leave();
  }

  void finish(std::size_t number) {
    const Slice& slice = slices_[number];
    const Places places = places_of(slice);
    const GpuSlot& slot = slot_of(number);
    slot.stream.synchronize();
    std::uint8_t* const host = slot.host.data();
    const auto* const offsets = reinterpret_cast<const std::uint64_t*>(host + places.offsets);
    each_message(slice, offsets, host, [&](GcmMessage& message, const std::uint8_t* text, std::size_t i) {
      if (!encrypts_) message.is_authentic = host[places.verdicts + i] == verdict_authentic;
      if (encrypts_ || message.is_authentic) {
        if (message.num_bytes != 0) std::memcpy(message.out, text, message.num_bytes);
      } else if (unverified_ == Unverified::wiped) {
        wipe_memory(message.out, message.num_bytes);
      }
      if (encrypts_) std::memcpy(message.tag, host + places.tags + i * full_tag_bytes, message.tag_bytes);
    });
  }

  const CryptArrays& crypt_;
  bool encrypts_;
  Unverified unverified_;
  std::span<GcmMessage* const> messages_;
  std::vector<Slice> slices_;
};

}  // namespace

bool fits_gpu_staging(const GcmMessage& message) {
  return message.nonce_bytes == gcm_nonce_bytes && message.key.empty() && message.num_bytes <= GpuDevice::slot_bytes &&
         message.associated_bytes <= GpuDevice::slot_bytes && room_of(message) + rounding_bytes <= GpuDevice::slot_bytes;
}

void crypt_host_messages(GpuDevice& device, const CryptArrays& crypt, Direction direction, Unverified unverified,
                         std::span<GcmMessage* const> messages, int num_threads) {
  MessageTransfer(device, crypt, direction, unverified, messages, num_threads).run();
}

}  // namespace phalanx
