// Two ways to fill the lanes. Messages under one key in a mode whose blocks are independent are joined
// (modes/joined_ranges.hpp). Otherwise each lane follows one message (lane_group.hpp).
#include "engines/cpu/lane_batch.hpp"

#include <algorithm>
#include <vector>

#include "engines/cpu/lane_group.hpp"
#include "modes/chaining.hpp"
#include "secrets/dead_stack.hpp"
#include "threads/threads.hpp"

namespace phalanx {
namespace {

/// Longer ones are cut by crypt_range, so that a thread does not end with one.
constexpr std::size_t long_message_bytes = 16 * piece_bytes;

/// What a group may leave on the stack: parts of keys go through registers, and a call may save these. Kernels wipe their
/// own.
constexpr std::size_t group_stack_bytes = 2048;

/// The messages on the caller's thread, but for long ones.
void crypt_short(const CpuCipher& cipher, JoinedFunction crypt, std::span<const WholeMessage> messages) {
  constexpr std::size_t messages_at_once = 2048;  // each call ends with a group that is not full
  std::vector<MessageBlocks> joined;
  joined.reserve(std::min(messages_at_once, messages.size()));
  const std::size_t long_message_blocks = long_message_bytes / cipher.kernel().block_bytes;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const WholeMessage& message = messages[i];
    if (message.num_blocks < long_message_blocks) {
      joined.push_back({message.iv, message.in, message.out, message.num_blocks});
    }
    if (joined.size() < messages_at_once && i + 1 != messages.size()) continue;
    crypt(cipher.schedule(), joined.data(), joined.size());
    joined.clear();
  }
}

/// Streams under one key in a mode whose blocks are independent.
void crypt_joined(const CpuCipher& cipher, Mode mode, Direction direction, std::span<const WholeMessage> messages,
                  int num_threads, std::size_t num_pieces) {
  const Kernel& kernel = cipher.kernel();
  const JoinedFunction crypt = kernel.joined[static_cast<unsigned>(mode)][static_cast<unsigned>(direction)];
  for (const WholeMessage& message : messages) {
    if (message.num_blocks * kernel.block_bytes < long_message_bytes) continue;
    cipher.crypt_range(mode, direction, message.iv, message.in, message.out, message.num_blocks);
  }
  const std::size_t messages_in_piece = std::max<std::size_t>(1, messages.size() / num_pieces);
  run_parallel(num_threads, messages.size(), messages_in_piece, [&](std::size_t first, std::size_t last) {
    crypt_short(cipher, crypt, messages.subspan(first, last - first));
  });
}

}  // namespace

void crypt_batch(const CpuCipher& cipher, Mode mode, Direction direction, std::span<const WholeMessage> messages) {
  const Kernel& kernel = cipher.kernel();
  std::size_t num_blocks = 0;
  bool bring_keys = false;
  bool have_ciphers = false;
  for (const WholeMessage& message : messages) {
    num_blocks += message.num_blocks;
    bring_keys = bring_keys || !message.key.empty();
    have_ciphers = have_ciphers || message.ready != nullptr;
  }
  const std::size_t num_pieces = num_blocks * kernel.block_bytes / piece_bytes;
  const int num_threads = num_pieces < 2 ? 1 : cipher.num_threads();
  if (!bring_keys && !have_ciphers && is_divisible(mode, direction)) {
    return crypt_joined(cipher, mode, direction, messages, num_threads, std::max<std::size_t>(1, num_pieces));
  }
  const LaneKeys keys = !bring_keys && !have_ciphers                  ? LaneKeys::one
                        : bring_keys || kernel.set_lane[0] == nullptr ? LaneKeys::expanded
                                                                      : LaneKeys::ready;
  MessageQueue queue(messages);
  const std::size_t full_groups = (messages.size() + kernel.lanes - 1) / kernel.lanes;
  const auto most_groups = static_cast<std::size_t>(num_threads == 1 ? 1 : thread_count(num_threads));
  const std::size_t num_groups = std::min(full_groups, most_groups);
  run_parallel(num_threads, num_groups, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      call_and_wipe<group_stack_bytes>([&] { LaneGroup(cipher, mode, direction, keys, queue, num_groups).run(); });
    }
  });
}

}  // namespace phalanx
