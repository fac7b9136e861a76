#include "engine/engines/cuda/staging/gpu_message_groups.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/engines/cuda/gpu_kernels.hpp"
#include "engine/engines/cuda/scratch_parts.hpp"
#include "engine/engines/cuda/stream_memory.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "engine/threads/threads.hpp"

namespace phalanx {
namespace {

// Messages that are crypted at once: they fill every lane of a GPU, and their blocks a staging buffer.
constexpr std::size_t max_messages_at_once = std::size_t{1} << 16;

// Some messages, a window of blocks of each at a time.
class MessageGroup {
 public:
  MessageGroup(const GpuKey& key, const GpuMessagesWork& work, std::span<const BlockMessage* const> messages, GpuSlot& slot)
      : key_(key),
        work_(work),
        messages_(messages),
        slot_(slot),
        block_bytes_(key.kernel().block_bytes),
        window_(std::max<std::size_t>(1, GpuDevice::slot_bytes / (block_bytes_ * messages.size()))),
        places_(messages.size()),
        has_keys_(std::ranges::any_of(messages, [](const BlockMessage* message) { return !message->key.empty(); })),
        memory_(key.device(), place(nullptr), slot.stream.get(), true),
        ivs_(small_memory(), messages.size() * 16) {
    (void)place(memory_.data());
    if (work.mode == Mode::ecb) return;
    for (std::size_t i = 0; i < messages.size(); ++i) std::memcpy(ivs_.data() + 16 * i, messages[i]->iv, block_bytes_);
  }
  MessageGroup(const MessageGroup&) = delete;
  MessageGroup& operator=(const MessageGroup&) = delete;
  ~MessageGroup() {
    (void)cudaStreamSynchronize(slot_.stream.get());  // which may still read it, if something failed
    wipe_memory(slot_.small.data(), slot_.small.size());
  }

  void run() {
    if (has_keys_) bring_keys();
    copy(device_ivs_, ivs_.data(), ivs_.size(), cudaMemcpyHostToDevice);
    std::size_t longest = 0;
    for (const BlockMessage* message : messages_) longest = std::max(longest, message->num_blocks);
    for (std::size_t done = 0; done < longest; done += window_) crypt_window(done);
    copy(ivs_.data(), device_ivs_, ivs_.size(), cudaMemcpyDeviceToHost);
    slot_.stream.synchronize();
    if (work_.mode == Mode::ecb) return;
    for (std::size_t i = 0; i < messages_.size(); ++i) std::memcpy(messages_[i]->iv, ivs_.data() + 16 * i, block_bytes_);
  }

 private:
  std::size_t place(std::uint8_t* memory) {
    const std::size_t count = messages_.size();
    ScratchParts parts(memory);
    parts.take(device_places_, count);
    parts.take(device_ivs_, 16 * count);
    if (has_keys_) parts.take(device_keys_, work_.own_key.size() * count);
    parts.take(scratch_, key_.kernel().batch_scratch_bytes(count, has_keys_ ? count : 0, work_.own_key.size()));
    return parts.num_bytes();
  }
  // Page-locked memory for ivs, and behind them for keys.
  std::uint8_t* small_memory() {
    const std::size_t num_bytes = messages_.size() * (16 + work_.own_key.size());
    if (slot_.small.size() < num_bytes) slot_.small = PinnedBuffer(num_bytes);
    return slot_.small.data();
  }

  void bring_keys() {
    const std::size_t key_bytes = work_.own_key.size();
    const std::span<std::uint8_t> keys(ivs_.data() + ivs_.size(), messages_.size() * key_bytes);
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      std::uint8_t* const to = keys.data() + i * key_bytes;
      if (messages_[i]->key.empty()) {
        std::memcpy(to, work_.own_key.data(), key_bytes);
      } else {
        set_gpu_key(work_.cipher, messages_[i]->key, to);
      }
    }
    copy(device_keys_, keys.data(), keys.size(), cudaMemcpyHostToDevice);
  }

  void crypt_window(std::size_t done) {
    std::size_t num_bytes = 0;
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      const std::size_t left = messages_[i]->num_blocks - std::min(done, messages_[i]->num_blocks);
      std::uint8_t* const place = slot_.device.data() + num_bytes;
      places_[i] = {place, place, std::min(left, window_)};
      num_bytes += places_[i].num_blocks * block_bytes_;
    }
    slot_.used_bytes = std::max(slot_.used_bytes, num_bytes);
    each_place(done, [](std::uint8_t* staged, const std::uint8_t* in, std::uint8_t* /*out*/, std::size_t size) {
      std::memcpy(staged, in, size);
    });
    copy(device_places_, places_.data(), places_.size() * sizeof(GpuMessage), cudaMemcpyHostToDevice);
    copy(slot_.device.data(), slot_.host.data(), num_bytes, cudaMemcpyHostToDevice);
    const GpuBatch batch{device_places_, device_ivs_, device_keys_, work_.own_key.size(), messages_.size(), scratch_};
    const GpuBatchFunction function =
        key_.kernel().batch[static_cast<unsigned>(work_.mode)][static_cast<unsigned>(work_.direction)];
    key_.device().run_with_key(key_, slot_.stream.get(),
                               [&](const GpuScratch& /*scratch*/) { return function(batch, slot_.stream.get()); });
    copy(slot_.host.data(), slot_.device.data(), num_bytes, cudaMemcpyDeviceToHost);
    slot_.stream.synchronize();
    each_place(done, [](const std::uint8_t* staged, const std::uint8_t* /*in*/, std::uint8_t* out, std::size_t size) {
      std::memcpy(out, staged, size);
    });
  }

  // body(staged, in, out, size) for the window's blocks of each message.
  template <class Body>
  void each_place(std::size_t done, Body body) {
    run_parallel(work_.num_threads, messages_.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        if (places_[i].num_blocks == 0) continue;
        body(slot_.host.data() + (places_[i].in - slot_.device.data()), messages_[i]->in + done * block_bytes_,
             messages_[i]->out + done * block_bytes_, places_[i].num_blocks * block_bytes_);
      }
    });
  }

  void copy(void* to, const void* from, std::size_t num_bytes, cudaMemcpyKind kind) {
    check_cuda(cudaMemcpyAsync(to, from, num_bytes, kind, slot_.stream.get()), "copying to or from the GPU");
  }

  const GpuKey& key_;
  const GpuMessagesWork& work_;
  std::span<const BlockMessage* const> messages_;
  GpuSlot& slot_;
  std::size_t block_bytes_;
  std::size_t window_;  // blocks
  std::vector<GpuMessage> places_;
  bool has_keys_;
  GpuMessage* device_places_ = nullptr;  // in memory_, as the next three
  std::uint8_t* device_ivs_ = nullptr;
  std::uint8_t* device_keys_ = nullptr;
  std::uint8_t* scratch_ = nullptr;
  StreamMemory memory_;
  std::span<std::uint8_t> ivs_;
};

}  // namespace

void run_messages_on_gpu(const GpuKey& key, const GpuMessagesWork& work, std::span<const BlockMessage* const> messages) {
  const CurrentDevice current(key.device().id());
  std::array<GpuSlot, GpuDevice::num_slots>* slots = nullptr;
  const auto lock = key.device().lock_slots(slots);
  for (std::size_t first = 0; first < messages.size(); first += max_messages_at_once) {
    const std::size_t count = std::min(max_messages_at_once, messages.size() - first);
    MessageGroup(key, work, messages.subspan(first, count), slots->front()).run();
  }
}

}  // namespace phalanx
