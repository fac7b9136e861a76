#include "engine/engines/cuda/staging/gpu_chunks.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/engines/cuda/gpu_gcm.hpp"
#include "engine/engines/cuda/staging/gpu_transfer.hpp"
#include "engine/engines/cuda/stream_memory.hpp"
#include "engine/modes/mode_facts.hpp"
#include "engine/threads/threads.hpp"

namespace phalanx {
namespace {

constexpr std::size_t tag_bytes = ChunkCutting::tag_bytes;

// Some chunks that go through a staging buffer together.
struct Slice {
  std::uint64_t first;
  std::size_t count;
  std::size_t plain_bytes;
  std::size_t sealed_bytes;
};

// Two things at once, where there are two threads.
template <class One, class Other>
void run_both(int num_threads, const One& one, const Other& other) {
  run_parallel(num_threads == 1 ? 1 : 2, 2, [&](std::size_t first, std::size_t last) {
    if (first == 0) one();
    if (last == 2) other();
  });
}

// Writes what the kernels are told of the slice's chunks to `memory`.
GpuChunkArrays write_arrays(const ChunkCutting& cutting, const Slice& slice, std::uint8_t* memory, cudaStream_t stream) {
  GpuChunkArrays arrays(memory, slice.count);
  arrays.chunk_bytes = cutting.chunk_bytes;
  arrays.plain_bytes = slice.plain_bytes;
  arrays.first = cutting.first_chunk + slice.first;
  std::memcpy(arrays.base_nonce, cutting.base_nonce.data(), sizeof arrays.base_nonce);
  check_cuda(write_gpu_chunk_arrays(arrays, stream), "starting a kernel");
  return arrays;
}

// The slice's chunks as messages, from `in` to `out`.
DeviceBatchArrays messages_of(const GpuChunkArrays& arrays, Direction direction, const Slice& slice, const std::uint8_t* in,
                              std::uint8_t* out) {
  const bool seals = direction == Direction::encrypt;
  DeviceBatchArrays all{};
  all.in = in;
  all.in_bytes = seals ? slice.plain_bytes : slice.sealed_bytes;
  all.in_offsets = seals ? arrays.plain_offsets : arrays.sealed_offsets;
  all.out = out;
  all.out_bytes = seals ? slice.sealed_bytes : slice.plain_bytes;
  all.out_offsets = seals ? arrays.sealed_offsets : arrays.plain_offsets;
  all.lengths = arrays.lengths;
  all.nonces = arrays.nonces;
  all.num_messages = arrays.count;
  all.offset_bytes = sizeof(std::uint64_t);
  all.tag_bytes = tag_bytes;
  all.nonce_bytes = gcm_nonce_bytes;
  all.tag_place = seals ? TagPlace::behind_out : TagPlace::behind_in;
  return all;
}

// What both directions have: slices in staging buffers.
class ChunkTransfer : public GpuTransfer {
 public:
  ChunkTransfer(GpuDevice& device, SlotUse use, const CryptArrays& crypt, const ChunkCutting& cutting, int num_threads,
                cudaStream_t stream)
      : GpuTransfer(device, use, num_threads, stream),
        crypt_(crypt),
        cutting_(cutting),
        sealed_chunk_bytes_(cutting.chunk_bytes + tag_bytes),
        most_chunks_((GpuDevice::slot_bytes - 16) / (sealed_chunk_bytes_ + GpuChunkArrays::bytes_a_chunk)) {}

 protected:
  [[nodiscard]] std::uint64_t num_slices() const { return (cutting_.num_chunks + most_chunks_ - 1) / most_chunks_; }
  // Whether there is one `behind` slices before `number`.
  [[nodiscard]] bool has_slice(std::uint64_t number, std::uint64_t behind) const {
    return number >= behind && number - behind < num_slices();
  }
  [[nodiscard]] Slice slice_of(std::uint64_t number) const {
    const std::uint64_t first = number * most_chunks_;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most_chunks_, cutting_.num_chunks - first));
    const std::uint64_t rest = cutting_.plain_bytes - first * cutting_.chunk_bytes;
    const auto plain = static_cast<std::size_t>(std::min<std::uint64_t>(rest, count * cutting_.chunk_bytes));
    return {first, count, plain, plain + count * tag_bytes};
  }

  // What the kernels are told of the slice's chunks, behind its sealed bytes in the device's buffer.
  [[nodiscard]] GpuChunkArrays place_arrays(const Slice& slice, GpuSlot& slot) {
    const std::size_t offset = (most_chunks_ * sealed_chunk_bytes_ + 15) / 16 * 16;
    slot.used_bytes = GpuDevice::slot_bytes;
    return write_arrays(cutting_, slice, slot.device.data() + offset, slot.stream.get());
  }

  const CryptArrays& crypt_;
  const ChunkCutting& cutting_;
  std::size_t sealed_chunk_bytes_;
  std::size_t most_chunks_;  // of a slice
};

class ChunkOpening final : ChunkTransfer {
 public:
  ChunkOpening(GpuDevice& device, const CryptArrays& crypt, const SealedChunks& chunks, std::uint8_t* out,
               cudaStream_t stream)
      : ChunkTransfer(device, chunks.memory != nullptr ? SlotUse::alone : SlotUse::calls_back, crypt, chunks.cutting,
                      chunks.num_threads, stream),
        chunks_(chunks),
        out_(out),
        is_page_locked_(chunks.memory != nullptr && is_page_locked(chunks.memory)) {}

  std::uint64_t run() {
    try {
      open_all();
    } catch (...) {
      clear();
      throw;
    }
    if (first_bad_ != cutting_.num_chunks) clear();
    return first_bad_;
  }

 private:
  // One slice is fetched while the one before starts on its way; two more are on theirs.
  void open_all() {
    for (std::uint64_t number = 0; number < num_slices() + num_slots; ++number) {
      const auto fetch_next = [&] {
        const CurrentDevice current(device_.id());
        if (has_slice(number, 0)) fetch(number);
      };
      const auto start_and_finish = [&] {
        const CurrentDevice current(device_.id());
        if (has_slice(number, 1)) start(number - 1);
        if (has_slice(number, num_slots)) finish(number - num_slots);
      };
      run_both(is_page_locked_ ? 1 : num_threads_, fetch_next, start_and_finish);
      if (first_bad_ != cutting_.num_chunks) return;
    }
    synchronize_all();
  }

  // The sealed bytes of a slice, where the device can copy them from.
  void fetch(std::uint64_t number) {
    if (is_page_locked_) return;
    const Slice slice = slice_of(number);
    const std::uint64_t offset = slice.first * sealed_chunk_bytes_;
    std::uint8_t* const to = slot_of(number).host.data();
    copied_[number % num_slots].synchronize();  // of the slice that had the buffer before
    if (chunks_.memory != nullptr) {
      copy_on_host(num_threads_, to, chunks_.memory + offset, slice.sealed_bytes);
    } else {
      chunks_.read(offset, {to, slice.sealed_bytes});
    }
  }

  void start(std::uint64_t number) {
    GpuSlot& slot = slot_of(number);
    const Slice slice = slice_of(number);
    const std::uint8_t* const from = is_page_locked_ ? chunks_.memory + slice.first * sealed_chunk_bytes_ : slot.host.data();
    copy(slot.device.data(), from, slice.sealed_bytes, cudaMemcpyHostToDevice, slot);
    copied_[number % num_slots].record(slot.stream.get());
    const GpuChunkArrays arrays = place_arrays(slice, slot);
    DeviceBatchArrays all = messages_of(arrays, Direction::decrypt, slice, slot.device.data(), nullptr);
    verdicts_[number % num_slots] = open_slice(slice, all, slot);
  }

  // Into its place. Where only a part is wanted, by way of memory of its own.
  std::unique_ptr<DeviceBatchResult> open_slice(const Slice& slice, DeviceBatchArrays& all, const GpuSlot& slot) const {
    const std::uint64_t start = slice.first * cutting_.chunk_bytes;
    const std::uint64_t from = std::max(start, chunks_.skipped_bytes);
    const std::uint64_t stop = std::min(start + slice.plain_bytes, chunks_.skipped_bytes + chunks_.wanted_bytes);
    const cudaStream_t stream = slot.stream.get();
    if (from == start && stop == start + slice.plain_bytes && stop != start) {
      all.out = out_ + (start - chunks_.skipped_bytes);
      return crypt_(all, stream);
    }
    const StreamMemory plain(device_, std::max<std::size_t>(slice.plain_bytes, 16), stream, true);
    all.out = plain.data();
    auto verdicts = crypt_(all, stream);
    if (from < stop) {
      copy(out_ + (from - chunks_.skipped_bytes), plain.data() + (from - start), static_cast<std::size_t>(stop - from),
           cudaMemcpyDeviceToDevice, slot);
    }
    return verdicts;
  }

  void finish(std::uint64_t number) {
    const std::unique_ptr<DeviceBatchResult> verdicts = std::move(verdicts_[number % num_slots]);
    if (verdicts->are_all_authentic()) return;
    std::vector<std::uint8_t> each(verdicts->num_messages());
    verdicts->read(each);
    const auto bad = std::ranges::find_if(each, [](std::uint8_t verdict) { return verdict != verdict_authentic; });
    first_bad_ = slice_of(number).first + static_cast<std::uint64_t>(bad - each.begin());
  }

  void clear() const noexcept { GpuTransfer::clear(out_, chunks_.wanted_bytes); }

  const SealedChunks& chunks_;
  std::uint8_t* out_;
  bool is_page_locked_;
  std::array<CudaEvent, num_slots> copied_;
  std::array<std::unique_ptr<DeviceBatchResult>, num_slots> verdicts_;
  std::uint64_t first_bad_ = cutting_.num_chunks;
};

class ChunkSealing final : ChunkTransfer {
 public:
  ChunkSealing(GpuDevice& device, const CryptArrays& crypt, const ChunksToSeal& chunks, const std::uint8_t* in,
               cudaStream_t stream)
      : ChunkTransfer(device, SlotUse::calls_back, crypt, chunks.cutting, chunks.num_threads, stream),
        chunks_(chunks),
        in_(in) {}

  // To start a slice takes no time to speak of; one is appended while the next two are on their way. Who takes it has all
  // threads to itself.
  void run() {
    for (std::uint64_t number = 0; number < num_slices() + 2; ++number) {
      const CurrentDevice current(device_.id());  // whatever the function that takes the last one's did
      if (has_slice(number, 0)) start(number);
      if (has_slice(number, 2)) append(number - 2);
    }
  }

 private:
  void start(std::uint64_t number) {
    GpuSlot& slot = slot_of(number);
    const Slice slice = slice_of(number);
    const GpuChunkArrays arrays = place_arrays(slice, slot);
    const std::uint8_t* const in = in_ + slice.first * cutting_.chunk_bytes;
    const DeviceBatchArrays all = messages_of(arrays, Direction::encrypt, slice, in, slot.device.data());
    crypt_(all, slot.stream.get())->leave();
    copy(slot.host.data(), slot.device.data(), slice.sealed_bytes, cudaMemcpyDeviceToHost, slot);
  }

  void append(std::uint64_t number) {
    const GpuSlot& slot = slot_of(number);
    slot.stream.synchronize();
    chunks_.append({slot.host.data(), slice_of(number).sealed_bytes});
  }

  const ChunksToSeal& chunks_;
  const std::uint8_t* in_;
};

}  // namespace

std::unique_ptr<DeviceBatchResult> crypt_gpu_chunks(GpuDevice& device, const CryptArrays& crypt, Direction direction,
                                                    const DeviceChunks& chunks, cudaStream_t stream) {
  const ChunkCutting& cutting = chunks.cutting;
  const std::uint64_t sealed_bytes = cutting.plain_bytes + cutting.num_chunks * tag_bytes;
  const Slice all{0, cutting.num_chunks, cutting.plain_bytes, sealed_bytes};
  const StreamMemory memory(device, cutting.num_chunks * GpuChunkArrays::bytes_a_chunk, stream, true);
  const GpuChunkArrays arrays = write_arrays(cutting, all, memory.data(), stream);
  DeviceBatchArrays messages = messages_of(arrays, direction, all, chunks.in, chunks.out + chunks.prefix.size());
  messages.opens_all_or_none = true;
  if (!chunks.prefix.empty()) {  // before the verdicts, which wait for what was enqueued
    check_cuda(cudaMemcpyAsync(chunks.out, chunks.prefix.data(), chunks.prefix.size(), cudaMemcpyHostToDevice, stream),
               "copying to the GPU");
  }
  return crypt(messages, stream);
}

std::uint64_t open_gpu_chunks(GpuDevice& device, const CryptArrays& crypt, const SealedChunks& chunks, std::uint8_t* out,
                              cudaStream_t stream) {
  return ChunkOpening(device, crypt, chunks, out, stream).run();
}

void seal_gpu_chunks(GpuDevice& device, const CryptArrays& crypt, const ChunksToSeal& chunks, const std::uint8_t* in,
                     cudaStream_t stream) {
  ChunkSealing(device, crypt, chunks, in, stream).run();
}

}  // namespace phalanx
