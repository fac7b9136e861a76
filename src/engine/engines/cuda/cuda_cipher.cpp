#include "engine/engines/cuda/cuda_cipher.hpp"

#include <algorithm>
#include <cstring>
#include <phalanx/error.hpp>
#include <string>

#include "engine/engines/cuda/gpu_device_batch.hpp"
#include "engine/engines/cuda/gpu_kernels.hpp"
#include "engine/engines/cuda/run_each.hpp"
#include "engine/engines/cuda/staging/gpu_message_groups.hpp"
#include "engine/engines/cuda/staging/gpu_pipeline.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

// Fewer messages than this in a serial mode are the CPU's: they would leave nearly all lanes of a GPU idle.
constexpr std::size_t min_serial_messages = 2048;

// In a divisible mode, longer messages than this are ranges of their own.
constexpr std::size_t min_range_blocks = std::size_t{1} << 16;

// A range and the short block after it (CTR, CFB), which is crypted whole in scratch memory of two blocks, the ciphertext
// block before it in front: as the last steps, since the range may be in place, but fetched first.
cudaError_t crypt_with_short_block(GpuRangeFunction function, const GpuRange& range, std::size_t block_bytes, Mode mode,
                                   std::size_t short_bytes, std::uint8_t* scratch, cudaStream_t stream) {
  const std::size_t whole = range.num_blocks * block_bytes;
  const std::size_t before = range.num_blocks == 0 ? 0 : block_bytes;
  GpuRange last{scratch + block_bytes, scratch + block_bytes, 1, {}, range.share_states, mode == Mode::cfb && before != 0};
  std::memcpy(last.iv, range.iv, sizeof last.iv);
  if (mode == Mode::ctr) advance_chain(mode, block_bytes, last.iv, range.num_blocks);
  cudaError_t error = cudaMemsetAsync(scratch, 0, 2 * block_bytes, stream);
  if (error == cudaSuccess)
    error = cudaMemcpyAsync(scratch + block_bytes - before, range.in + whole - before, before + short_bytes,
                            cudaMemcpyDeviceToDevice, stream);
  if (error == cudaSuccess && range.num_blocks != 0) error = function(range, stream);
  if (error == cudaSuccess) error = function(last, stream);
  if (error == cudaSuccess)
    error = cudaMemcpyAsync(range.out + whole, last.out, short_bytes, cudaMemcpyDeviceToDevice, stream);
  if (error == cudaSuccess) error = cudaMemsetAsync(scratch, 0, 2 * block_bytes, stream);
  return error;
}

}  // namespace

CudaCipher::CudaCipher(const CipherSpec& cipher, const std::vector<GpuDevice*>& devices, Bytes key, int num_threads,
                       std::unique_ptr<KeyedCipher> cpu)
    : cipher_(cipher), num_threads_(num_threads), kernel_key_(kernel_key_bytes(cipher)), cpu_(std::move(cpu)) {
  const GpuKernel& kernel = gpu_kernel_of(cipher);
  SecretBytes schedule(kernel.schedule_bytes);
  expand_gpu_key(cipher, key, schedule.data());
  set_gpu_key(cipher, key, kernel_key_.data());
  for (GpuDevice* device : devices) keys_.push_back(std::make_unique<GpuKey>(*device, kernel, schedule.data()));
}

void CudaCipher::crypt_range(Mode mode, Direction direction, std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                             std::size_t num_blocks) const {
  if (num_blocks < 2 || !is_divisible(mode, direction)) {
    cpu_->crypt_range(mode, direction, iv, in, out, num_blocks);
    return;
  }
  const std::size_t share_blocks = GpuWork::share_blocks_of(cipher_.block_bytes, num_blocks);
  std::vector<ChainBlock> states = chain_at_steps(mode, cipher_.block_bytes, iv, in, num_blocks, share_blocks);
  const GpuWork work{mode, direction, in, out, cipher_.block_bytes, num_blocks, share_blocks, states, nullptr, num_threads_};
  run_parts(states.size() - 1, min_shares_per_device, keys_.size(), [&](std::size_t i, std::size_t first, std::size_t last) {
    run_on_gpu(keys_[i]->device(), keys_[i].get(), work, first, last);
  });
  if (mode != Mode::ecb) std::memcpy(iv, states.back().data(), cipher_.block_bytes);
  wipe_memory(states.data(), states.size() * sizeof(ChainBlock));
}

const GpuKey& CudaCipher::key_of_memory(std::initializer_list<const void*> pointers) const {
  const int device = device_of_memory(pointers);
  for (const auto& key : keys_) {
    if (device == no_device || key->device().id() == device) return *key;
  }
  fail_memory();
}

const GpuKey& CudaCipher::key_on(const GpuDevice& device) const {
  return **std::ranges::find_if(keys_, [&](const auto& key) { return &key->device() == &device; });
}

std::unique_ptr<DeviceBatchResult> CudaCipher::crypt_device_batch(Mode mode, Direction direction,
                                                                  const KeyedDeviceCipher* tweak_key,
                                                                  const DeviceBatchArrays& arrays, void* stream) const {
  const GpuKey& key = key_of_memory(
      {arrays.in, arrays.out, arrays.in_offsets, arrays.out_offsets, arrays.lengths, arrays.nonces, arrays.keys});
  const CurrentDevice current(key.device().id());
  const GpuKey* const of_tweaks =
      tweak_key == nullptr ? nullptr : &static_cast<const CudaCipher*>(tweak_key)->key_on(key.device());
  return crypt_batch_on_gpu({cipher_, mode, direction, key, of_tweaks}, arrays, static_cast<cudaStream_t>(stream));
}

void CudaCipher::crypt_device_sectors(Direction direction, const KeyedDeviceCipher& tweak_key,
                                      const DeviceSectorRange& sectors, void* stream) const {
  const GpuKey& key = key_of_memory({sectors.in, sectors.out, sectors.numbers});
  const CurrentDevice current(key.device().id());
  const GpuKey& of_tweaks = static_cast<const CudaCipher&>(tweak_key).key_on(key.device());
  crypt_sectors_on_gpu({cipher_, Mode::xts, direction, key, &of_tweaks}, sectors, static_cast<cudaStream_t>(stream));
}

void CudaCipher::crypt_device_range(Mode mode, Direction direction, const std::uint8_t* iv, const std::uint8_t* in,
                                    std::uint8_t* out, std::size_t num_bytes, void* stream) const {
  if (num_bytes == 0) return;
  const std::size_t block_bytes = cipher_.block_bytes;
  if ((reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out)) % block_bytes != 0) {
    throw Error(ErrorCode::usage, "in a GPU's memory, in and out are aligned to " + std::to_string(block_bytes) + " bytes");
  }
  if (in == nullptr || out == nullptr) fail_memory();
  const GpuKey& key = key_of_memory({in, out});
  const CurrentDevice current(key.device().id());
  GpuRange range{in, out, num_bytes / block_bytes, {}, nullptr, false};
  if (mode != Mode::ecb) std::memcpy(range.iv, iv, block_bytes);
  const GpuRangeFunction function = key.kernel().range[static_cast<unsigned>(mode)][static_cast<unsigned>(direction)];
  const auto on = static_cast<cudaStream_t>(stream);
  const auto launch = [&](const GpuScratch& scratch) {
    range.share_states = scratch.share_states;
    range.schedule = scratch.schedule;
    range.key_stays = scratch.key_stays;
    if (num_bytes % block_bytes == 0) return function(range, on);
    return crypt_with_short_block(function, range, block_bytes, mode, num_bytes % block_bytes, scratch.short_block, on);
  };
  key.device().run_with_key(key, on, launch, true);
}

void CudaCipher::crypt_batch(Mode mode, Direction direction, std::span<const BlockMessage> messages) const {
  if (std::ranges::any_of(messages, [](const BlockMessage& message) { return message.prepared_key != nullptr; })) {
    std::vector<BlockMessage> by_keys(messages.begin(), messages.end());  // which a GPU expands as it goes
    for (BlockMessage& message : by_keys) {
      if (message.prepared_key != nullptr) message.key = message.prepared_key->key();
      message.prepared_key = nullptr;
    }
    return crypt_batch(mode, direction, by_keys);
  }
  const bool divisible = is_divisible(mode, direction);
  if (!divisible && messages.size() < min_serial_messages) {
    cpu_->crypt_batch(mode, direction, messages);
    return;
  }
  std::vector<const BlockMessage*> batch;
  for (const BlockMessage& message : messages) {
    if (divisible && message.key.empty() && message.num_blocks >= min_range_blocks) {
      crypt_range(mode, direction, message.iv, message.in, message.out, message.num_blocks);
    } else if (message.num_blocks != 0) {
      batch.push_back(&message);
    }
  }
  // A warp's messages end together where they are of one length.
  std::stable_sort(batch.begin(), batch.end(), [](auto* a, auto* b) { return a->num_blocks > b->num_blocks; });
  const GpuMessagesWork work{cipher_, mode, direction, kernel_key_, num_threads_};
  run_parts(batch.size(), min_serial_messages, keys_.size(), [&](std::size_t i, std::size_t first, std::size_t last) {
    run_messages_on_gpu(*keys_[i], work, std::span(batch).subspan(first, last - first));
  });
}

}  // namespace phalanx
