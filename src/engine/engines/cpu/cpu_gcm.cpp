#include "engine/engines/cpu/cpu_gcm.hpp"

#include <algorithm>
#include <cstring>

#include "engine/engines/hash_subkey.hpp"
#include "engine/modes/chaining.hpp"
#include "engine/secrets/stack_wipe.hpp"
#include "engine/threads/threads.hpp"

namespace phalanx {
namespace {

// What crypting may leave on the stack of nonces, which in containers are derived from a key.
constexpr std::size_t crypt_stack_bytes = 8192;

// A batch of less than this twice stays on the caller's thread.
constexpr std::size_t least_shared_bytes = std::size_t{16} << 10;

CpuHash hash_under(const CpuCipher& cipher, const GhashKernel& kernel) {
  const HashSubkey subkey(cipher);
  return {kernel, subkey.bytes(), cipher.num_threads()};
}

}  // namespace

CpuGcm::CpuGcm(const CipherSpec& cipher, const Kernel& kernel, const GhashKernel& hash_kernel, Bytes key, int num_threads)
    : spec_(cipher),
      hash_kernel_(hash_kernel),
      cipher_(cipher, kernel, key, num_threads),
      hash_(hash_under(cipher_, hash_kernel)) {}

void CpuGcm::crypt(Direction direction, std::span<AeadMessage> messages, Unverified unverified) const {
  if (messages.size() == 1 && messages[0].key.empty()) return crypt_one(direction, unverified, messages[0]);
  crypt_batch(direction, unverified, messages);
}

// By the kernel's function for messages if it has one and no other thread is to help.
inline bool CpuGcm::is_for_kernel(const AeadMessage& message) const {
  return cipher_.kernel().gcm_seal != nullptr && message.nonce_bytes == 12 && hash_.num_shares(message.num_bytes / 16) == 0;
}

inline void CpuGcm::crypt_one(Direction direction, Unverified unverified, AeadMessage& message) const {
  if (!is_for_kernel(message)) return crypt_message(direction, unverified, message);
  const Kernel& kernel = cipher_.kernel();
  if (direction == Direction::encrypt) return kernel.gcm_seal(cipher_.schedule(), hash_.key(), message);
  const bool in_one_pass = unverified == Unverified::wiped;
  message.is_authentic = kernel.gcm_open(cipher_.schedule(), hash_.key(), message, in_one_pass);
  if (in_one_pass && !message.is_authentic) wipe_memory(message.out, message.num_bytes);
}

void CpuGcm::crypt_batch(Direction direction, Unverified unverified, std::span<AeadMessage> messages) const {
  std::size_t num_bytes = 0;
  for (const AeadMessage& message : messages) num_bytes += message.num_bytes;
  const bool is_small = num_bytes < 2 * least_shared_bytes;
  const int num_threads = is_small ? 1 : cipher_.num_threads();
  const std::size_t shares = is_small ? 1 : 16 * static_cast<std::size_t>(thread_count(num_threads));
  const std::size_t at_once =
      std::clamp<std::size_t>(messages.size() / shares, 1, most_at_once);  // none waits long for the last
  run_parallel(num_threads, (messages.size() + at_once - 1) / at_once, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first * at_once; i < std::min(last * at_once, messages.size()); i += at_once) {
      const auto share = messages.subspan(i, std::min(at_once, messages.size() - i));
      call_then_wipe_stack<crypt_stack_bytes>([&] { crypt_share(direction, unverified, share); });
    }
  });
}

// Runs of messages under this key together, and each message that brings a key by itself.
void CpuGcm::crypt_share(Direction direction, Unverified unverified, std::span<AeadMessage> messages) const {
  while (!messages.empty()) {
    const auto has_key = [](const AeadMessage& message) { return !message.key.empty(); };
    const auto end = std::find_if(messages.begin(), messages.end(), has_key);
    const auto run = static_cast<std::size_t>(end - messages.begin());
    if (run != 0) {
      crypt_run(direction, unverified, messages.first(run));
      messages = messages.subspan(run);
    } else {
      const CpuGcm own(spec_, cipher_.kernel(), hash_kernel_, messages[0].key, 1);
      own.crypt_one(direction, unverified, messages[0]);
      messages = messages.subspan(1);
    }
  }
}

void CpuGcm::crypt_run(Direction direction, Unverified unverified, std::span<AeadMessage> messages) const {
  const bool one_by_one = std::ranges::all_of(messages, [&](const AeadMessage& message) { return is_for_kernel(message); });
  if (!one_by_one) return ComposedGcm::crypt_batch(direction, unverified, messages);
  for (AeadMessage& message : messages) crypt_one(direction, unverified, message);
}

void CpuGcm::encrypt_blocks(std::uint8_t* blocks, std::size_t num_blocks) const {
  constexpr auto ecb = static_cast<unsigned>(Mode::ecb);
  constexpr auto encrypt = static_cast<unsigned>(Direction::encrypt);
  cipher_.kernel().range[ecb][encrypt](cipher_.schedule(), nullptr, blocks, blocks, num_blocks);
}

void CpuGcm::crypt_counter_mode(std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                                std::size_t num_blocks) const {
  cipher_.crypt_range(Mode::ctr, Direction::encrypt, counter, in, out, num_blocks);
}

void CpuGcm::hash_blocks(std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks, const std::uint8_t* last,
                         std::size_t num_last) const {
  hash_.update_to_end(y, in, num_blocks, last, num_last);
}

void CpuGcm::crypt_and_hash(const GcmRange& range) const {
  const std::size_t num_shares = hash_.num_shares(range.num_blocks);
  if (num_shares != 0) crypt_and_hash_shares(range, num_shares);
  const std::size_t in_shares = num_shares * CpuHash::share_blocks;
  const GcmFunction run = cipher_.kernel().gcm[static_cast<unsigned>(range.direction)];
  run(cipher_.schedule(), hash_.key(), range.counter, range.y, range.in + 16 * in_shares, range.out + 16 * in_shares,
      range.num_blocks - in_shares, range.last, range.num_last);
}

void CpuGcm::crypt_and_hash_shares(const GcmRange& range, std::size_t num_shares) const {
  const GcmFunction run = cipher_.kernel().gcm[static_cast<unsigned>(range.direction)];
  hash_.update_shares(range.y, num_shares, [&](std::size_t i, std::uint8_t* share_y) {
    WipedArray<16> counter;
    std::memcpy(counter.bytes, range.counter, 16);
    advance_counter(counter.bytes, 16, i * CpuHash::share_blocks);
    run(cipher_.schedule(), hash_.key(), counter.bytes, share_y, range.in + i * share_bytes, range.out + i * share_bytes,
        CpuHash::share_blocks, nullptr, 0);
  });
  advance_counter(range.counter, 16, num_shares * CpuHash::share_blocks);
}

}  // namespace phalanx
