#include "parquet/device_image.hpp"

#include <algorithm>
#include <cstring>
#include <phalanx/error.hpp>
#include <string>
#include <utility>

#include "engine/modes/mode_facts.hpp"

namespace phalanx {
namespace {

constexpr std::size_t tag_bytes = 16;

std::size_t round_up(std::size_t num_bytes) { return (num_bytes + 15) / 16 * 16; }

// Kernels are told of a part by these arrays, one behind the other. The numbers say where each begins.
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

// `told` is where the notes lie in the GPU's memory.
DeviceBatchArrays arrays_of(const DeviceImagePart& part, const Notes& notes, const std::uint8_t* told) {
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

void require_authentic(const DeviceBatchResult& result, const std::function<void(std::size_t)>& fail) {
  if (result.are_all_authentic()) return;
  std::vector<std::uint8_t> each(result.num_messages());
  result.read(each);
  const auto bad = std::ranges::find_if(each, [](std::uint8_t verdict) { return verdict != verdict_authentic; });
  fail(static_cast<std::size_t>(bad - each.begin()));
}

}  // namespace

DeviceImage::DeviceImage(const Engine& engine, const DeviceUploadPlace& place, void* stream)
    : place_(place), uploads_(device_memory_of(engine).begin_uploads(place, stream)) {}

void DeviceImage::open(const KeyedDeviceAead& key, DeviceImagePart part) {
  if (uploads_->has_failed()) return;
  check(part);
  const std::uint64_t start = part.out_offsets.empty() ? 0 : part.out_offsets.front();
  for (std::uint64_t& offset : part.out_offsets) offset -= start;
  const Notes notes = NoteWriter(nullptr).put(part);
  const UploadedPart there = uploads_->bring(part.offset, part.num_bytes, notes.num_bytes, [&part](std::uint8_t* memory) {
    static_cast<void>(NoteWriter(memory).put(part));
  });
  const auto numbers = [&there](std::size_t at) { return reinterpret_cast<const std::uint64_t*>(there.notes + at); };
  uploads_->scatter(there, {there.notes + notes.plain, numbers(notes.plain_starts), numbers(notes.plain_offsets),
                            part.plain_offsets.size(), place_.out});
  if (part.in_offsets.empty()) return;
  DeviceBatchArrays arrays = arrays_of(part, notes, there.notes);
  arrays.in = there.bytes;
  arrays.out = place_.out + start;
  const std::shared_ptr<DeviceBatchResult> result = key.crypt_batch(Direction::decrypt, arrays, there.stream);
  uploads_->settle_later(there, [result, fail = std::move(part.fail)] { require_authentic(*result, fail); });
}

void DeviceImage::write(std::uint64_t offset, Bytes plain) {
  if (uploads_->has_failed()) return;
  check_place(offset, plain.size());
  uploads_->write(offset, plain);
}

void DeviceImage::copy(std::uint64_t from, std::uint64_t num_bytes, std::uint64_t to) {
  if (uploads_->has_failed()) return;
  check_place(to, num_bytes);
  uploads_->copy(from, num_bytes, to);
}

void DeviceImage::check_place(std::uint64_t offset, std::uint64_t num_bytes) const {
  if (offset <= place_.out_bytes && num_bytes <= place_.out_bytes - offset) return;
  throw Error(ErrorCode::usage, "the plain file does not fit into " + std::to_string(place_.out_bytes) +
                                    " bytes: give as many as the encrypted one has");
}

void DeviceImage::check(const DeviceImagePart& part) const {
  for (std::size_t i = 0; i < part.out_offsets.size(); ++i) check_place(part.out_offsets[i], part.lengths[i]);
  for (std::size_t i = 0; i < part.plain_offsets.size(); ++i)
    check_place(part.plain_offsets[i], part.plain_starts[i + 1] - part.plain_starts[i]);
}

}  // namespace phalanx
