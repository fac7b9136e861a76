// Two ways to fill the lanes. Messages under one key in a mode whose blocks are independent are joined (modes/joined_ranges.hpp).
// Otherwise each lane follows one message (lane_group.hpp).
#include "engines/cpu/lane_batch.hpp"

#include <algorithm>
#include <vector>

#include "engines/cpu/lane_group.hpp"
#include "engines/cpu/threads.hpp"
#include "modes/chaining.hpp"

namespace phalanx {
namespace {

/// Longer ones are cut by crypt_range, so that a thread does not end with one.
constexpr std::size_t long_message_bytes = 16 * piece_bytes;

/// The streams on the caller's thread, but for long ones.
void crypt_joined(const CpuCipher& cipher, JoinedFunction crypt, std::span<const Stream> streams) {
  constexpr std::size_t messages_at_once = 2048;  // each call ends with a group that is not full
  std::vector<MessageBlocks> messages;
  messages.reserve(std::min(messages_at_once, streams.size()));
  const std::size_t long_message_blocks = long_message_bytes / cipher.kernel().block_bytes;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const Stream& stream = streams[i];
    if (stream.num_blocks < long_message_blocks) {
      messages.push_back({stream.iv, stream.in, stream.out, stream.num_blocks});
    }
    if (messages.size() < messages_at_once && i + 1 != streams.size()) continue;
    crypt(cipher.schedule(), messages.data(), messages.size());
    messages.clear();
  }
}

}  // namespace

void crypt_batch(const CpuCipher& cipher, Mode mode, Direction direction, std::span<const Stream> streams) {
  const Kernel& kernel = cipher.kernel();
  StreamQueue queue(streams);
  const bool small = queue.num_blocks() * kernel.block_bytes < 2 * piece_bytes;
  const int num_threads = small ? 1 : cipher.num_threads();
  if (!queue.has_keys() && is_divisible(mode, direction)) {
    const JoinedFunction crypt = kernel.joined[static_cast<unsigned>(mode)][static_cast<unsigned>(direction)];
    for (const Stream& stream : streams) {
      if (stream.num_blocks * kernel.block_bytes < long_message_bytes) continue;
      cipher.crypt_range(mode, direction, stream.iv, stream.in, stream.out, stream.num_blocks);
    }
    run_parallel(num_threads, streams.size(), [&](std::size_t first, std::size_t last) {
      crypt_joined(cipher, crypt, streams.subspan(first, last - first));
    });
    return;
  }
  const std::size_t full_groups = (streams.size() + kernel.lanes - 1) / kernel.lanes;
  const std::size_t num_groups = std::min(full_groups, static_cast<std::size_t>(small ? 1 : thread_count(num_threads)));
  run_parallel(num_threads, num_groups, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) LaneGroup(cipher, mode, direction, queue, num_groups).run();
  });
}

}  // namespace phalanx
