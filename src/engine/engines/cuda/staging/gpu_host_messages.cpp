#include "engine/engines/cuda/staging/gpu_host_messages.hpp"

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/engines/cuda/staging/page_locks.hpp"
#include "engine/host/wiped_memory.hpp"
#include "engine/modes/mode_facts.hpp"
#include "engine/threads/threads.hpp"

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
std::size_t room_of(const AeadMessage& message) {
  return round_up(message.num_bytes) + bytes_beside_text + message.associated_bytes;
}

// Texts of one length, each at the same distance behind the one before: of a piece of chunks all are.
struct Rows {
  std::size_t first;  // message of the slice
  std::uint8_t* begin;
  std::size_t row_bytes;
  std::size_t distance = row_bytes;
  std::size_t count = 1;

  [[nodiscard]] std::size_t last_row() const { return (count - 1) * distance; }

  // False where the text does not lie as the others do.
  bool take(const std::uint8_t* text, std::size_t num_bytes) {
    constexpr std::size_t most_distance = std::size_t{1} << 24;  // CUDA's own limit is higher
    const std::size_t step = reinterpret_cast<std::uintptr_t>(text) - reinterpret_cast<std::uintptr_t>(begin) - last_row();
    if (num_bytes != row_bytes || step < row_bytes || step > most_distance || (count > 1 && step != distance)) return false;
    distance = step;
    ++count;
    return true;
  }

  [[nodiscard]] bool are_locked() const { return row_bytes == 0 || lies_in_locked_pages(begin, last_row() + row_bytes); }
};

// Where what is said of a slice lies in its staging buffer, behind the texts.
struct Places {
  std::size_t tags = 0, offsets = 0, lengths = 0, associated_starts = 0, nonces = 0, associated = 0, verdicts = 0, end = 0;
};

Places places_of(std::span<AeadMessage* const> messages, std::size_t tag_bytes) {
  std::size_t next = 0, associated_bytes = 0;
  for (const AeadMessage* message : messages) {
    next += round_up(message->num_bytes);
    associated_bytes += message->associated_bytes;
  }
  const auto place = [&next](std::size_t num_bytes) { return std::exchange(next, next + round_up(num_bytes)); };
  const std::size_t count = messages.size();
  Places places;
  places.tags = place(count * tag_bytes);
  places.offsets = place(count * sizeof(std::uint64_t));
  places.lengths = place(count * sizeof(std::uint64_t));
  places.associated_starts = place((count + 1) * sizeof(std::uint64_t));
  places.nonces = place(count * gcm_nonce_bytes);
  places.associated = place(associated_bytes);
  places.verdicts = place(count);
  places.end = next;
  return places;
}

// Some messages that go together, whose tags have one size.
struct Slice {
  MessageFeed::Share share;
  std::size_t tag_bytes = full_tag_bytes;
  Places places;
  bool is_written_directly = false;  // to the caller's memory, by the GPU

  [[nodiscard]] std::span<AeadMessage* const> messages() const { return share.messages(); }
};

class MessageTransfer final : GpuTransfer {
 public:
  MessageTransfer(GpuDevice& device, const CryptArrays& crypt, Direction direction, Unverified unverified, MessageFeed& feed,
                  int num_threads)
      : GpuTransfer(device, SlotUse::alone, num_threads),
        crypt_(crypt),
        encrypts_(direction == Direction::encrypt),
        unverified_(unverified),
        feed_(feed) {}

  void run() {
    std::uint64_t num_begun = 0, num_done = 0;
    for (;;) {
      while (num_begun - num_done < num_slots && begin(num_begun)) ++num_begun;
      if (num_done == num_begun) return;
      finish(num_done++);
    }
  }

 private:
  // What kernels are told. Returns where each text begins.
  const std::uint64_t* write_notes(const Slice& slice, std::uint8_t* host) const {
    const Places& places = slice.places;
    const auto numbers = [host](std::size_t place) { return reinterpret_cast<std::uint64_t*>(host + place); };
    std::uint64_t offset = 0, associated = 0;
    numbers(places.associated_starts)[0] = 0;
    for (std::size_t i = 0; i < slice.messages().size(); ++i) {
      const AeadMessage& message = *slice.messages()[i];
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

  static DeviceBatchArrays arrays_of(const Slice& slice, std::uint8_t* device) {
    const Places& places = slice.places;
    DeviceBatchArrays arrays{};
    arrays.in = arrays.out = device;
    arrays.in_bytes = arrays.out_bytes = places.tags;
    arrays.associated = device + places.associated;
    arrays.associated_bytes = places.verdicts - places.associated;
    arrays.in_offsets = device + places.offsets;
    arrays.lengths = device + places.lengths;
    arrays.associated_offsets = device + places.associated_starts;
    arrays.nonces = device + places.nonces;
    arrays.tags = device + places.tags;
    arrays.num_messages = slice.messages().size();
    arrays.offset_bytes = sizeof(std::uint64_t);
    arrays.tag_bytes = static_cast<unsigned>(slice.tag_bytes);
    arrays.nonce_bytes = gcm_nonce_bytes;
    arrays.tag_place = TagPlace::apart;
    return arrays;
  }

  // body(message, text in the staging buffer, i) for each message of a slice.
  template <class Body>
  static void each_message(const Slice& slice, const std::uint64_t* offsets, std::uint8_t* texts, int num_threads,
                           const Body& body) {
    run_parallel(num_threads, slice.messages().size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) body(*slice.messages()[i], texts + offsets[i], i);
    });
  }

  // How the texts text_of(message) of a slice lie, if all are in locked pages; else nothing.
  template <class TextOf>
  [[nodiscard]] static std::vector<Rows> locked_rows(const Slice& slice, const TextOf& text_of) {
    std::vector<Rows> all;
    for (std::size_t i = 0; i < slice.messages().size(); ++i) {
      const AeadMessage& message = *slice.messages()[i];
      if (!all.empty() && all.back().take(text_of(message), message.num_bytes)) continue;
      if (!all.empty() && !all.back().are_locked()) return {};
      all.push_back({.first = i, .begin = text_of(message), .row_bytes = message.num_bytes});
    }
    return all.back().are_locked() ? all : std::vector<Rows>();
  }

  // Between the caller's memory and the GPU's, where texts lie at `offsets`.
  static void copy_rows(const std::vector<Rows>& all, const std::uint64_t* offsets, cudaMemcpyKind kind,
                        const GpuSlot& slot) {
    for (const Rows& rows : all) {
      if (rows.row_bytes == 0) continue;
      std::uint8_t* const device = slot.device.data() + offsets[rows.first];
      const std::size_t device_distance = round_up(rows.row_bytes);
      const bool is_in = kind == cudaMemcpyHostToDevice;
      check_cuda(cudaMemcpy2DAsync(is_in ? device : rows.begin, is_in ? device_distance : rows.distance,
                                   is_in ? rows.begin : device, is_in ? rows.distance : device_distance, rows.row_bytes,
                                   rows.count, kind, slot.stream.get()),
                 "copying between the host and the GPU");
    }
  }

  void bring_texts(const Slice& slice, const std::uint64_t* offsets, const GpuSlot& slot) const {
    const auto rows = locked_rows(slice, [](const AeadMessage& message) {
      return const_cast<std::uint8_t*>(message.in);  // which is only read
    });
    if (!rows.empty()) return copy_rows(rows, offsets, cudaMemcpyHostToDevice, slot);
    each_message(slice, offsets, slot.host.data(), num_threads_,
                 [](const AeadMessage& message, std::uint8_t* text, std::size_t /*i*/) {
                   if (message.num_bytes != 0) std::memcpy(text, message.in, message.num_bytes);
                 });
    copy(slot.device.data(), slot.host.data(), slice.places.tags, cudaMemcpyHostToDevice, slot);
  }

  // A text that is not authentic is still sealed in the GPU's memory. It may come to the caller's only where zeros may.
  void fetch_texts(Slice& slice, const std::uint64_t* offsets, const GpuSlot& slot) const {
    if (encrypts_ || unverified_ == Unverified::wiped) {
      const auto rows = locked_rows(slice, [](const AeadMessage& message) { return message.out; });
      slice.is_written_directly = !rows.empty();
      if (slice.is_written_directly) return copy_rows(rows, offsets, cudaMemcpyDeviceToHost, slot);
    }
    copy(slot.host.data(), slot.device.data(), slice.places.tags, cudaMemcpyDeviceToHost, slot);
  }

  // What goes together next; no messages where none wait.
  Slice take_slice() {
    Slice slice;
    std::size_t room = 0;
    slice.share = feed_.take([&](const AeadMessage& message) {
      const std::size_t tag_bytes = encrypts_ ? full_tag_bytes : message.tag_bytes;
      const bool is_first = room == 0;
      if (!is_first && (tag_bytes != slice.tag_bytes || room + room_of(message) > slice_bytes)) return false;
      slice.tag_bytes = tag_bytes;
      room += room_of(message);
      return true;
    });
    slice.places = places_of(slice.messages(), slice.tag_bytes);
    return slice;
  }

  // False where no messages wait.
  bool begin(std::uint64_t number) {
    Slice& slice = slices_[number % num_slots] = take_slice();
    if (slice.messages().empty()) return false;
    const Places& places = slice.places;
    GpuSlot& slot = slot_of(number);
    slot.used_bytes = std::max(slot.used_bytes, places.end);
    std::uint8_t* const host = slot.host.data();
    std::uint8_t* const device = slot.device.data();
    const std::uint64_t* const offsets = write_notes(slice, host);
    copy(device + places.tags, host + places.tags, places.end - places.tags, cudaMemcpyHostToDevice, slot);
    bring_texts(slice, offsets, slot);
    const auto verdicts = crypt_(arrays_of(slice, device), slot.stream.get());
    fetch_texts(slice, offsets, slot);
    if (encrypts_) {
      copy(host + places.tags, device + places.tags, places.offsets - places.tags, cudaMemcpyDeviceToHost, slot);
    } else {
      copy(host + places.verdicts, verdicts->each(), slice.messages().size(), cudaMemcpyDeviceToHost, slot);
    }
    verdicts->leave();
    return true;
  }

  void finish(std::uint64_t number) {
    const Slice& slice = slices_[number % num_slots];
    const Places& places = slice.places;
    const GpuSlot& slot = slot_of(number);
    slot.stream.synchronize();
    std::uint8_t* const host = slot.host.data();
    const auto* const offsets = reinterpret_cast<const std::uint64_t*>(host + places.offsets);
    const int num_threads = slice.is_written_directly ? 1 : num_threads_;
    each_message(slice, offsets, host, num_threads, [&](AeadMessage& message, const std::uint8_t* text, std::size_t i) {
      if (!encrypts_) message.is_authentic = host[places.verdicts + i] == verdict_authentic;
      if (encrypts_ || message.is_authentic) {
        if (message.num_bytes != 0 && !slice.is_written_directly) std::memcpy(message.out, text, message.num_bytes);
      } else if (unverified_ == Unverified::wiped) {
        wipe_memory(message.out, message.num_bytes);
      }
      if (encrypts_) std::memcpy(message.tag, host + places.tags + i * full_tag_bytes, message.tag_bytes);
    });
    feed_.finish(slice.share);
  }

  const CryptArrays& crypt_;
  bool encrypts_;
  Unverified unverified_;
  MessageFeed& feed_;
  std::array<Slice, num_slots> slices_;  // those on their way
};

}  // namespace

bool fits_gpu_staging(const AeadMessage& message) {
  return message.nonce_bytes == gcm_nonce_bytes && message.key.empty() && message.num_bytes <= GpuDevice::slot_bytes &&
         message.associated_bytes <= GpuDevice::slot_bytes && room_of(message) + rounding_bytes <= GpuDevice::slot_bytes;
}

void crypt_host_messages(GpuDevice& device, const CryptArrays& crypt, Direction direction, Unverified unverified,
                         MessageFeed& feed, int num_threads) {
  MessageTransfer(device, crypt, direction, unverified, feed, num_threads).run();
}

}  // namespace phalanx
