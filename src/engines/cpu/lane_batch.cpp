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
void crypt_short(const CpuCipher& cipher, JoinedFunction crypt, std::span<const Stream> streams) {
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

/// Streams under one key in a mode whose blocks are independent.
void crypt_joined(const CpuCipher& cipher, Mode mode, Direction direction, std::span<const Stream> streams, int num_threads,
                  std::size_t num_pieces) {
  const Kernel& kernel = cipher.kernel();
  const JoinedFunction crypt = kernel.joined[static_cast<unsigned>(mode)][static_cast<unsigned>(direction)];
  for (const Stream& stream : streams) {
    if (stream.num_blocks * kernel.block_bytes < long_message_bytes) continue;
    cipher.crypt_range(mode, direction, stream.iv, stream.in, stream.out, stream.num_blocks);
  }
  const std::size_t streams_in_piece = std::max<std::size_t>(1, streams.size() / num_pieces);
  run_parallel(num_threads, streams.size(), streams_in_piece, [&](std::size_t first, std::size_t last) {
    crypt_short(cipher, crypt, streams.subspan(first, last - first));
  });
}

}  // namespace

void crypt_batch(const CpuCipher& cipher, Mode mode, Direction direction, std::span<const Stream> streams) {
  const Kernel& kernel = cipher.kernel();
  std::size_t num_blocks = 0;
  bool own_keys = false;
  for (const Stream& stream : streams) {
    num_blocks += stream.num_blocks;
    own_keys = own_keys || !stream.key.empty();
  }
  const std::size_t num_pieces = num_blocks * kernel.block_bytes / piece_bytes;
  const int num_threads = num_pieces < 2 ? 1 : cipher.num_threads();
  if (!own_keys && is_divisible(mode, direction)) {
    return crypt_joined(cipher, mode, direction, streams, num_threads, std::max<std::size_t>(1, num_pieces));
  }
  StreamQueue queue(streams);
  const std::size_t full_groups = (streams.size() + kernel.lanes - 1) / kernel.lanes;
  const auto most_groups = static_cast<std::size_t>(num_threads == 1 ? 1 : thread_count(num_threads));
  const std::size_t num_groups = std::min(full_groups, most_groups);
  run_parallel(num_threads, num_groups, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) LaneGroup(cipher, mode, direction, own_keys, queue, num_groups).run();
  });
}

}  // namespace phalanx
