// CpuCipher::crypt_batch: two ways to fill the lanes. Messages under one key in a mode whose blocks are independent are
// packed (engine/modes/packed_ranges.hpp). Otherwise each lane follows one message (lane_group.hpp).
#include <algorithm>
#include <vector>

#include "engine/engines/cpu/cpu_cipher.hpp"
#include "engine/engines/cpu/lane_group.hpp"
#include "engine/modes/chaining.hpp"
#include "engine/secrets/stack_wipe.hpp"
#include "engine/threads/threads.hpp"

namespace phalanx {
namespace {

// Longer ones are cut by crypt_range, so that a thread does not end with one.
constexpr std::size_t long_message_bytes = 16 * share_bytes;

// What a group may leave on the stack: parts of keys go through registers, and a call may save these. Kernels wipe their
// own.
constexpr std::size_t group_stack_bytes = 2048;

// The messages on the caller's thread, but for long ones.
void crypt_short(const CpuCipher& cipher, PackedFunction crypt, std::span<const BlockMessage> messages) {
  constexpr std::size_t messages_at_once = 2048;  // each call ends with a group that is not full
  std::vector<MessageBlocks> packed;
  packed.reserve(std::min(messages_at_once, messages.size()));
  const std::size_t long_message_blocks = long_message_bytes / cipher.kernel().block_bytes;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const BlockMessage& message = messages[i];
    if (message.num_blocks < long_message_blocks) {
      packed.push_back({message.iv, message.in, message.out, message.num_blocks});
    }
    if (packed.size() < messages_at_once && i + 1 != messages.size()) continue;
    crypt(cipher.schedule(), packed.data(), packed.size());
    packed.clear();
  }
}

// Streams under one key in a mode whose blocks are independent.
void crypt_packed(const CpuCipher& cipher, Mode mode, Direction direction, std::span<const BlockMessage> messages,
                  int num_threads, std::size_t num_shares) {
  const Kernel& kernel = cipher.kernel();
  const PackedFunction crypt = kernel.packed[static_cast<unsigned>(mode)][static_cast<unsigned>(direction)];
  for (const BlockMessage& message : messages) {
    if (message.num_blocks * kernel.block_bytes < long_message_bytes) continue;
    cipher.crypt_range(mode, direction, message.iv, message.in, message.out, message.num_blocks);
  }
  const std::size_t messages_in_share = std::max<std::size_t>(1, messages.size() / num_shares);
  run_parallel(num_threads, messages.size(), messages_in_share, [&](std::size_t first, std::size_t last) {
    crypt_short(cipher, crypt, messages.subspan(first, last - first));
  });
}

}  // namespace

void CpuCipher::crypt_batch(Mode mode, Direction direction, std::span<const BlockMessage> messages) const {
  std::size_t num_blocks = 0;
  bool bring_keys = false;
  bool have_ciphers = false;
  for (const BlockMessage& message : messages) {
    num_blocks += message.num_blocks;
    bring_keys = bring_keys || !message.key.empty();
    have_ciphers = have_ciphers || message.prepared_key != nullptr;
  }
  const std::size_t num_shares = num_blocks * kernel_.block_bytes / share_bytes;
  const int num_threads = num_shares < 2 ? 1 : num_threads_;
  if (!bring_keys && !have_ciphers && is_divisible(mode, direction)) {
    return crypt_packed(*this, mode, direction, messages, num_threads, std::max<std::size_t>(1, num_shares));
  }
  const LaneKeys keys = !bring_keys && !have_ciphers                   ? LaneKeys::one
                        : bring_keys || kernel_.set_lane[0] == nullptr ? LaneKeys::expanded
                                                                       : LaneKeys::prepared;
  MessageQueue queue(messages);
  const std::size_t full_groups = (messages.size() + kernel_.lanes - 1) / kernel_.lanes;
  const auto most_groups = static_cast<std::size_t>(num_threads == 1 ? 1 : thread_count(num_threads));
  const std::size_t num_groups = std::min(full_groups, most_groups);
  run_parallel(num_threads, num_groups, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      call_then_wipe_stack<group_stack_bytes>([&] { LaneGroup(*this, mode, direction, keys, queue, num_groups).run(); });
    }
  });
}

}  // namespace phalanx
