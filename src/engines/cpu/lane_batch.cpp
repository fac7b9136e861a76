// Two ways to fill the lanes. Messages under one key in a mode whose blocks are independent are put one after another
// (staged_blocks.hpp). Otherwise each lane follows one message, block by block, and takes the next message when its own ends:
// LaneGroup, below.
#include "engines/cpu/lane_batch.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <vector>

#include "engines/cpu/staged_blocks.hpp"
#include "engines/cpu/threads.hpp"
#include "modes/batch.hpp"
#include "modes/chaining.hpp"

namespace phalanx {
namespace {

struct Batch {
  const CpuCipher& cipher;
  Mode mode;
  Direction direction;
  std::span<const Stream> streams;
  bool own_keys;  ///< some stream brings its own key
  std::atomic<std::size_t> next{0};

  /// The next stream that no lane has taken; nullptr at the end.
  const Stream* take() {
    const std::size_t index = next.fetch_add(1, std::memory_order_relaxed);
    return index < streams.size() ? &streams[index] : nullptr;
  }
};

/// One thread's lanes. Lanes 0 to active_ - 1 have a message each.
class LaneGroup {
 public:
  explicit LaneGroup(Batch& batch);
  void run();

 private:
  bool fill(std::size_t lane);
  void set_lane_key(std::size_t lane);
  const void* schedule_of(const Stream& stream);
  void retire(std::size_t num_steps);
  [[nodiscard]] bool ranges_are_faster(std::size_t num_steps) const;
  void crypt_rest_as_ranges();
  void crypt_lanes(Direction direction);
  template <class Block>
  void run_steps(std::size_t num_steps);
  template <Mode mode, Direction direction, class Block>
  void run_steps_of(std::size_t num_steps);

  struct Lane {
    const Stream* stream;
    const std::uint8_t* in;
    std::uint8_t* out;
    std::size_t num_blocks;  ///< still to do
  };

  Batch& batch_;
  const Kernel& kernel_;
  std::size_t active_ = 0;
  bool exhausted_ = false;  ///< no stream is left to take
  std::vector<Lane> lanes_;
  SecretBytes blocks_;  ///< what goes through the cipher
  SecretBytes chains_;
  SecretBytes masks_;
  SecretBytes lane_schedules_;
  SecretBytes schedule_;
};

LaneGroup::LaneGroup(Batch& batch)
    : batch_(batch),
      kernel_(batch.cipher.kernel()),
      lanes_(kernel_.lanes),
      blocks_(kernel_.lanes * kernel_.block_bytes),
      chains_(kernel_.lanes * kernel_.block_bytes),
      masks_(kernel_.lanes * kernel_.block_bytes),
      lane_schedules_(batch.own_keys ? kernel_.lane_schedules_bytes : 0),
      schedule_(batch.own_keys ? kernel_.schedule_bytes : 0) {}

void LaneGroup::run() {
  while (active_ < kernel_.lanes && fill(active_)) ++active_;
  while (active_ != 0) {
    std::size_t num_steps = std::numeric_limits<std::size_t>::max();
    for (std::size_t lane = 0; lane < active_; ++lane) num_steps = std::min(num_steps, lanes_[lane].num_blocks);
    if (ranges_are_faster(num_steps)) return crypt_rest_as_ranges();
    if (kernel_.block_bytes == 8) {
      run_steps<Word64>(num_steps);
    } else {
      run_steps<Block128>(num_steps);
    }
    retire(num_steps);
  }
}

/// Gives the lane the next message, if there is one.
bool LaneGroup::fill(std::size_t lane) {
  while (!exhausted_) {
    const Stream* stream = batch_.take();
    if (stream == nullptr) {
      exhausted_ = true;
    } else if (stream->num_blocks >= kernel_.lanes && is_divisible(batch_.mode, batch_.direction)) {
      batch_.cipher.crypt_with(schedule_of(*stream), batch_.mode, batch_.direction, stream->iv, stream->in, stream->out,
                               stream->num_blocks);  // fills the lanes by itself
    } else if (stream->num_blocks != 0) {
      lanes_[lane] = {stream, stream->in, stream->out, stream->num_blocks};
      if (batch_.mode != Mode::ecb) {
        std::memcpy(chains_.data() + lane * kernel_.block_bytes, stream->iv, kernel_.block_bytes);
      }
      set_lane_key(lane);
      return true;
    }
  }
  return false;
}

/// The stream's key schedule, valid until the next call.
const void* LaneGroup::schedule_of(const Stream& stream) {
  if (stream.key.empty()) return batch_.cipher.schedule();
  batch_.cipher.expand_key(stream.key, schedule_.data());
  return schedule_.data();
}

void LaneGroup::set_lane_key(std::size_t lane) {
  if (batch_.own_keys) kernel_.set_lane(lane_schedules_.data(), lane, schedule_of(*lanes_[lane].stream));
}

/// Moves every lane num_steps blocks on; where a message ends, its lane takes the next one or that of the last active lane.
void LaneGroup::retire(std::size_t num_steps) {
  const std::size_t block_bytes = kernel_.block_bytes;
  for (std::size_t lane = active_; lane-- != 0;) {
    Lane& done = lanes_[lane];
    done.in += num_steps * block_bytes;
    done.out += num_steps * block_bytes;
    done.num_blocks -= num_steps;
    if (done.num_blocks != 0) continue;
    if (batch_.mode != Mode::ecb) std::memcpy(done.stream->iv, chains_.data() + lane * block_bytes, block_bytes);
    if (fill(lane)) continue;
    --active_;
    if (lane == active_) continue;
    done = lanes_[active_];
    std::memcpy(chains_.data() + lane * block_bytes, chains_.data() + active_ * block_bytes, block_bytes);
    set_lane_key(lane);
  }
}

/// When the messages run out, lanes stay empty: a single serial message, or few messages of independent blocks (each lane
/// has num_steps or more to go), are better off alone.
bool LaneGroup::ranges_are_faster(std::size_t num_steps) const {
  if (!exhausted_) return false;
  return active_ <= (is_divisible(batch_.mode, batch_.direction) ? num_steps : 1);
}

void LaneGroup::crypt_rest_as_ranges() {
  for (std::size_t i = 0; i < active_; ++i) {
    const Lane& lane = lanes_[i];
    std::uint8_t* chain = chains_.data() + i * kernel_.block_bytes;
    batch_.cipher.crypt_with(schedule_of(*lane.stream), batch_.mode, batch_.direction, chain, lane.in, lane.out,
                             lane.num_blocks);
    if (batch_.mode != Mode::ecb) std::memcpy(lane.stream->iv, chain, kernel_.block_bytes);
  }
}

void LaneGroup::crypt_lanes(Direction direction) {
  if (batch_.own_keys) {
    kernel_.crypt_lanes[static_cast<unsigned>(direction)](lane_schedules_.data(), blocks_.data(), blocks_.data());
  } else {
    kernel_.range[static_cast<unsigned>(Mode::ecb)][static_cast<unsigned>(direction)](
        batch_.cipher.schedule(), nullptr, blocks_.data(), blocks_.data(), active_);
  }
}

template <class Block>
void LaneGroup::run_steps(std::size_t num_steps) {
  with_mode(batch_.mode, batch_.direction,
            [&]<Mode mode, Direction direction>() { run_steps_of<mode, direction, Block>(num_steps); });
}

template <Mode mode, Direction direction, class Block>
void LaneGroup::run_steps_of(std::size_t num_steps) {
  using Step = BlockStep<mode, direction, Block>;
  for (std::size_t offset = 0; offset != num_steps * sizeof(Block); offset += sizeof(Block)) {
    for (std::size_t lane = 0; lane < active_; ++lane) {
      const std::size_t place = lane * sizeof(Block);
      Block chain = Block::load(chains_.data() + place);
      Block mask;
      Step::before(chain, Block::load(lanes_[lane].in + offset), mask).store(blocks_.data() + place);
      chain.store(chains_.data() + place);
      mask.store(masks_.data() + place);
    }
    crypt_lanes(cipher_direction(mode, direction));
    for (std::size_t lane = 0; lane < active_; ++lane) {
      const std::size_t place = lane * sizeof(Block);
      Block chain = Block::load(chains_.data() + place);
      Step::after(chain, Block::load(blocks_.data() + place), Block::load(masks_.data() + place))
          .store(lanes_[lane].out + offset);
      chain.store(chains_.data() + place);
    }
  }
}

std::size_t total_bytes(std::span<const Stream> streams, std::size_t block_bytes) {
  std::size_t total = 0;
  for (const Stream& stream : streams) total += stream.num_blocks * block_bytes;
  return total;
}

}  // namespace

void crypt_batch(const CpuCipher& cipher, Mode mode, Direction direction, std::span<const Stream> streams) {
  const bool own_keys = std::any_of(streams.begin(), streams.end(), [](const Stream& s) { return !s.key.empty(); });
  const Kernel& kernel = cipher.kernel();
  const bool small = total_bytes(streams, kernel.block_bytes) < 2 * piece_bytes;
  const int num_threads = small ? 1 : cipher.num_threads();
  if (!own_keys && is_divisible(mode, direction)) {
    run_parallel(num_threads, streams.size(), [&](std::size_t first, std::size_t last) {
      crypt_staged(cipher, mode, direction, streams.subspan(first, last - first));
    });
    return;
  }
  Batch batch{cipher, mode, direction, streams, own_keys};
  const std::size_t full_groups = (streams.size() + kernel.lanes - 1) / kernel.lanes;
  const std::size_t num_groups = std::min(full_groups, static_cast<std::size_t>(small ? 1 : thread_count(num_threads)));
  run_parallel(num_threads, num_groups, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) LaneGroup(batch).run();
  });
}

}  // namespace phalanx
