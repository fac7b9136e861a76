#include "engine/engines/cuda/cuda_gcm.hpp"

#include <algorithm>
#include <cstring>
#include <phalanx/error.hpp>

#include "engine/engines/cuda/gpu_hash.hpp"
#include "engine/engines/cuda/run_each.hpp"
#include "engine/engines/cuda/staging/gpu_host_messages.hpp"
#include "engine/engines/cuda/staging/page_locks.hpp"
#include "engine/engines/hash_subkey.hpp"
#include "engine/modes/chaining.hpp"
#include "engine/modes/mode_facts.hpp"

namespace phalanx {
namespace {

// A shorter message is the CPU's, and so are shorter data that are only hashed: a GPU takes hundreds of microseconds to
// begin.
constexpr std::size_t min_hashed_blocks = std::size_t{1} << 16;

// The counters of nonces that have not 12 bytes wrap at 32 bits, those of CTR on a GPU do not.
bool are_for_cpu(std::span<const AeadMessage> messages) {
  if (messages.size() != 1) {
    return std::ranges::any_of(
        messages, [](const AeadMessage& message) { return message.nonce_bytes != gcm_nonce_bytes || !message.key.empty(); });
  }
  return !messages[0].key.empty() || messages[0].num_bytes / 16 < min_hashed_blocks;
}

}  // namespace

CudaHashKey::CudaHashKey(GpuDevice& device, const std::uint8_t* hash_subkey) : device_(device) {
  const CurrentDevice current(device.id());
  key_ = DeviceBuffer(gpu_hash_key_bytes());
  state_ = DeviceBuffer(32);
  host_state_ = PinnedBuffer(16);
  stream_ = std::make_unique<CudaStream>();
  const DeviceBuffer subkey(16);
  device_.copy_secret(subkey.data(), hash_subkey, 16);
  check_cuda(expand_gpu_hash_key(subkey.data(), key_.data(), stream_->get()), "expanding a key");
  stream_->synchronize();
  device_.add_user();
}

CudaHashKey::~CudaHashKey() {
  try {
    const CurrentDevice current(device_.id());
    device_.remove_user();
    key_ = DeviceBuffer();
    state_ = DeviceBuffer();
    host_state_ = PinnedBuffer();
    stream_.reset();
  } catch (const Error&) {  // the device is gone, and the key with it
  }
}

template <class Work>
void CudaHashKey::run_from(std::uint8_t* y, Work work) const {
  const CurrentDevice current(device_.id());
  const std::lock_guard lock(mutex_);
  const auto copy = [this](std::uint8_t* to, const std::uint8_t* from, cudaMemcpyKind kind) {
    check_cuda(cudaMemcpyAsync(to, from, 16, kind, stream_->get()), "copying a hash");
    stream_->synchronize();
  };
  std::memcpy(host_state_.data(), y, 16);
  copy(state_.data(), host_state_.data(), cudaMemcpyHostToDevice);
  work(GpuHashState{key_.data(), state_.data()});
  copy(host_state_.data(), state_.data(), cudaMemcpyDeviceToHost);
  std::memcpy(y, host_state_.data(), 16);
}

CudaGcm::CudaGcm(const CipherSpec& cipher, const std::vector<GpuDevice*>& devices, Bytes key, int num_threads,
                 const CpuEngine& cpu)
    : num_threads_(num_threads),
      cpu_cipher_(cpu.set_key(cipher, key, num_threads)),
      cpu_gcm_(cpu.set_aead_key({&cipher, Mode::gcm}, key, num_threads)),
      cipher_(cipher, devices, key, num_threads, cpu.set_key(cipher, key, num_threads)),
      device_gcm_(cipher, devices, key, cpu),
      hash_(cpu.set_hash_key(HashSubkey(*cpu_cipher_).bytes(), num_threads)) {
  const HashSubkey subkey(*cpu_cipher_);
  for (GpuDevice* device : devices) gpu_hashes_.push_back(std::make_unique<CudaHashKey>(*device, subkey.bytes()));
}

void CudaGcm::crypt(Direction direction, std::span<AeadMessage> messages, Unverified unverified) const {
  if (are_for_cpu(messages)) return cpu_gcm_->crypt(direction, messages, unverified);
  if (messages.size() == 1) return crypt_message(direction, unverified, messages[0]);
  std::vector<AeadMessage*> staged;
  for (AeadMessage& message : messages) {
    if (fits_gpu_staging(message)) {
      staged.push_back(&message);
    } else {
      crypt_message(direction, unverified, message);
    }
  }
  MessageFeed& feed = direction == Direction::encrypt ? seals_ : opens_[static_cast<unsigned>(unverified)];
  feed.run(staged, [&](MessageFeed& all) { device_gcm_.crypt_on_host(direction, unverified, all, num_threads_); });
}

std::unique_ptr<PageLock> CudaGcm::lock_pages(MutableBytes memory) const {
  const CurrentDevice current(cipher_.key_number(0).device().id());
  return lock_host_pages(memory);
}

void CudaGcm::encrypt_blocks(std::uint8_t* blocks, std::size_t num_blocks) const {
  const bool are_ends = num_blocks <= 2 * most_at_once;
  const KeyedCipher& cipher = are_ends ? *cpu_cipher_ : static_cast<const KeyedCipher&>(cipher_);
  cipher.crypt_range(Mode::ecb, Direction::encrypt, nullptr, blocks, blocks, num_blocks);
}

void CudaGcm::crypt_counter_mode(std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                                 std::size_t num_blocks) const {
  cipher_.crypt_range(Mode::ctr, Direction::encrypt, counter, in, out, num_blocks);
}

// Each device hashes its part from zero, but for the first one, which goes on from y; the parts are joined here.
void CudaGcm::run_on_gpus(const GpuWork& work, bool crypts, std::uint8_t* y) const {
  struct Part {
    WipedArray<16> y;
    std::size_t num_blocks = 0;
  };
  std::vector<Part> parts(gpu_hashes_.size());
  const std::size_t share_blocks = work.share_blocks, num_shares = (work.num_blocks + share_blocks - 1) / share_blocks;
  const auto run_part = [&](std::size_t i, std::size_t first, std::size_t last) {
    const GpuKey& key = cipher_.key_number(i);
    parts[i].num_blocks = std::min(last * share_blocks, work.num_blocks) - first * share_blocks;
    gpu_hashes_[i]->run_from(i == 0 ? y : parts[i].y.bytes, [&](const GpuHashState& state) {
      GpuWork hashed = work;
      hashed.hash = &state;
      run_on_gpu(key.device(), crypts ? &key : nullptr, hashed, first, last);
    });
  };
  run_parts(num_shares, CudaCipher::min_shares_per_device, parts.size(), run_part);
  for (std::size_t i = 1; i < parts.size() && parts[i].num_blocks != 0; ++i)
    hash_.join(y, parts[i].y.bytes, parts[i].num_blocks);
}

void CudaGcm::hash_blocks(std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks, const std::uint8_t* last,
                          std::size_t num_last) const {
  if (num_blocks < min_hashed_blocks) return hash_.update_to_end(y, in, num_blocks, last, num_last);
  const std::size_t share_blocks = GpuWork::share_blocks_of(16, num_blocks);
  run_on_gpus({Mode::ctr, Direction::encrypt, in, nullptr, 16, num_blocks, share_blocks, {}, nullptr, num_threads_}, false,
              y);
  hash_.update(y, last, num_last);
}

void CudaGcm::crypt_and_hash(const GcmRange& range) const {
  if (range.direction == Direction::decrypt) {
    hash_blocks(range.y, range.in, range.num_blocks, range.last, range.num_last);
    crypt_counter_mode(range.counter, range.in, range.out, range.num_blocks);
    return;
  }
  if (range.num_blocks < min_hashed_blocks) {  // a short part of a long message
    crypt_counter_mode(range.counter, range.in, range.out, range.num_blocks);
    return hash_.update_to_end(range.y, range.out, range.num_blocks, range.last, range.num_last);
  }
  const std::size_t share_blocks = GpuWork::share_blocks_of(16, range.num_blocks);
  const std::vector<ChainBlock> states =
      chain_at_steps(Mode::ctr, 16, range.counter, range.in, range.num_blocks, share_blocks);
  const GpuWork work{Mode::ctr,        Direction::encrypt, range.in, range.out, 16,
                     range.num_blocks, share_blocks,       states,   nullptr,   num_threads_};
  run_on_gpus(work, true, range.y);
  std::memcpy(range.counter, states.back().data(), 16);
  hash_.update(range.y, range.last, range.num_last);
}

}  // namespace phalanx
