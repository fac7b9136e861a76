#include "engine/engines/cpu/lane_group.hpp"

#include <algorithm>
#include <cstring>

#include "engine/lanes/word_scalar.hpp"
#include "engine/modes/chaining.hpp"

namespace phalanx {
namespace {

// Kernels work on lines of so many bytes of each message: fewer steps cost more a step.
constexpr std::size_t line_bytes = 64;

// OFB's state is the last input XORed with the last output.
bool state_needs_last_input(Mode mode, Direction direction) {
  const ChainUpdate next = step_of(mode, direction).next;
  return next == ChainUpdate::input || next == ChainUpdate::crypted;
}

// The tweak before this one: divided by alpha.
void halve_tweak(std::uint8_t* tweak) {
  const std::uint64_t low = load_u64(tweak);
  const std::uint64_t high = load_u64(tweak + 8);
  const std::uint64_t odd = 0 - (low & 1);  // then alpha was reduced: x^128 = x^7 + x^2 + x + 1
  const std::uint64_t even_low = low ^ (odd & 0x87);
  store_u64(tweak, even_low >> 1 | high << 63);
  store_u64(tweak + 8, high >> 1 | (odd & std::uint64_t{1} << 63));
}

}  // namespace

LaneGroup::LaneGroup(const CpuCipher& cipher, Mode mode, Direction direction, LaneKeys keys, MessageQueue& queue,
                     std::size_t num_groups)
    : cipher_(cipher),
      kernel_(cipher.kernel()),
      mode_(mode),
      direction_(direction),
      lane_keys_(keys),
      divisible_(is_divisible(mode, direction)),
      needs_last_input_(state_needs_last_input(mode, direction)),
      block_bytes_(kernel_.block_bytes),
      taker_(queue,
             num_groups == 1 ? queue.num_messages() : std::clamp<std::size_t>(queue.num_messages() / num_groups / 8, 1, 64)),
      rows_(kernel_.lane_rows_bytes),
      last_inputs_(needs_last_input_ ? kernel_.lanes * block_bytes_ : 0),
      keys_(keys == LaneKeys::expanded ? kernel_.lanes * max_key_bytes : 0),
      lane_schedules_(own_keys() ? kernel_.lane_schedules_bytes : 0),
      schedule_(keys == LaneKeys::expanded ? kernel_.schedule_bytes : 0),
      new_keys_(kernel_.lanes / kernel_.key_lanes),
      messages_(kernel_.lanes),
      in_(kernel_.lanes, rows_.data()),
      out_(kernel_.lanes, rows_.data()),
      left_(kernel_.lanes) {}

void LaneGroup::run() {
  while (active_ < kernel_.lanes && fill(active_)) ++active_;
  const auto mode = static_cast<unsigned>(mode_);
  const auto direction = static_cast<unsigned>(direction_);
  const LanesFunction crypt = (own_keys() ? kernel_.multi_key : kernel_.multi_buffer)[mode][direction];
  const void* const keys = own_keys() ? lane_schedules_.data() : cipher_.schedule();
  while (active_ != 0) {
    if (ranges_are_faster()) return crypt_rest_as_ranges();
    const std::size_t num_steps = choose_num_steps();
    expand_new_keys();
    crypt(keys, rows_.data(), {in_.data(), out_.data(), left_.data(), active_}, num_steps);
    retire(num_steps);
  }
}

// Gives the lane the next message, if there is one.
bool LaneGroup::fill(std::size_t lane) {
  while (!exhausted_) {
    const BlockMessage* message = taker_.take();
    if (message == nullptr) {
      exhausted_ = true;
    } else if (divisible_ && message->num_blocks >= kernel_.lanes) {  // fills the lanes by itself
      crypt_range(*message, message->iv, message->in, message->out, message->num_blocks);
    } else if (message->num_blocks != 0) {
      messages_[lane] = message;
      in_[lane] = message->in;
      out_[lane] = message->out;
      left_[lane] = message->num_blocks;
      if (mode_ != Mode::ecb) std::memcpy(chain_of(lane), message->iv, block_bytes_);
      if (needs_last_input_) {
        std::memcpy(last_input_of(lane), message->in + (message->num_blocks - 1) * block_bytes_, block_bytes_);
      }
      if (own_keys()) set_key(lane, *message);
      return true;
    }
  }
  return false;
}

void LaneGroup::set_key(std::size_t lane, const BlockMessage& message) {
  const CpuCipher& cipher = ready_of(message);
  if (lane_keys_ == LaneKeys::prepared) {
    const auto way = static_cast<unsigned>(step_of(mode_, direction_).cipher_direction);
    return kernel_.set_lane[way](cipher.schedule(), lane, lane_schedules_.data());
  }
  for (std::size_t part = 0; 8 * part < cipher_.kernel_key_bytes(); ++part) {
    std::memcpy(key_part_of(lane, part), cipher.kernel_key_part(message.key, part), 8);
  }
  new_keys_[lane / kernel_.key_lanes] = 1;
  has_new_keys_ = true;
}

void LaneGroup::expand_new_keys() {
  if (!has_new_keys_) return;
  has_new_keys_ = false;
  for (std::size_t i = 0; i < new_keys_.size(); ++i) {
    if (new_keys_[i] == 0) continue;
    new_keys_[i] = 0;
    kernel_.expand_lane_keys(key_part_of(0, 0), cipher_.kernel_key_bytes(), i * kernel_.key_lanes, lane_schedules_.data());
  }
}

// Lines of every message, if all have so much left. Else the number of steps, up to a line, that does the most blocks
// for its cost: `half a step` more than the steps themselves, for coming and going.
std::size_t LaneGroup::choose_num_steps() const {
  const std::size_t line_blocks = line_bytes / block_bytes_;
  const std::size_t least = *std::min_element(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(active_));
  if (least >= line_blocks) return least - least % line_blocks;
  std::size_t lanes_with[line_bytes / 8 + 1] = {};  // how many have so much left, line_blocks standing for more
  for (std::size_t lane = 0; lane < active_; ++lane) ++lanes_with[std::min(left_[lane], line_blocks)];
  std::size_t best_steps = 1;
  std::size_t best_blocks = active_;
  std::size_t blocks = active_;
  std::size_t lanes_left = active_;
  for (std::size_t steps = 2; steps <= line_blocks; ++steps) {
    lanes_left -= lanes_with[steps - 1];
    blocks += lanes_left;
    if (blocks * (2 * best_steps + 1) > best_blocks * (2 * steps + 1)) {
      best_steps = steps;
      best_blocks = blocks;
    }
  }
  return best_steps;
}

// Moves every lane num_steps blocks on; where a message ends, its lane takes the next one or that of the last active lane.
void LaneGroup::retire(std::size_t num_steps) {
  for (std::size_t lane = active_; lane-- != 0;) {
    if (left_[lane] > num_steps) {
      in_[lane] += num_steps * block_bytes_;
      out_[lane] += num_steps * block_bytes_;
      left_[lane] -= num_steps;
      continue;
    }
    finish_chain(lane, num_steps - left_[lane]);
    if (fill(lane)) continue;
    --active_;
    if (lane != active_) move_lane(active_, lane);
  }
}

// The chaining state after the lane's message, whose end the last steps_beyond steps were behind.
void LaneGroup::finish_chain(std::size_t lane, std::size_t steps_beyond) {
  const BlockMessage& message = *messages_[lane];
  if (mode_ == Mode::ecb) return;
  if (mode_ == Mode::ctr) return advance_counter(message.iv, block_bytes_, message.num_blocks);
  if (mode_ == Mode::xts) {
    std::memcpy(message.iv, chain_of(lane), block_bytes_);
    for (std::size_t i = 0; i < steps_beyond; ++i) halve_tweak(message.iv);
    return;
  }
  const std::uint8_t* last_output = message.out + (message.num_blocks - 1) * block_bytes_;
  std::memcpy(message.iv, needs_last_input_ ? last_input_of(lane) : last_output, block_bytes_);
  if (mode_ != Mode::ofb) return;
  for (std::size_t i = 0; i < block_bytes_; i += 8)
    store_u64(message.iv + i, load_u64(message.iv + i) ^ load_u64(last_output + i));
}

void LaneGroup::move_lane(std::size_t from, std::size_t to) {
  messages_[to] = messages_[from];
  in_[to] = in_[from];
  out_[to] = out_[from];
  left_[to] = left_[from];
  std::memcpy(chain_of(to), chain_of(from), block_bytes_);
  if (needs_last_input_) std::memcpy(last_input_of(to), last_input_of(from), block_bytes_);
  if (own_keys()) set_key(to, *messages_[to]);
}

// When the messages run out, lanes stay empty, and the messages are better off one after another: few serial ones, or few
// of independent blocks, which are a group for every `lanes` blocks and one more, about, for a key.
bool LaneGroup::ranges_are_faster() const {
  if (!exhausted_) return false;
  if (!divisible_) return active_ <= kernel_.serial_messages;
  std::size_t groups = own_keys() ? active_ : 0;
  for (std::size_t lane = 0; lane < active_; ++lane) groups += (left_[lane] + kernel_.lanes - 1) / kernel_.lanes;
  return groups <= *std::max_element(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(active_));
}

void LaneGroup::crypt_rest_as_ranges() {
  for (std::size_t lane = 0; lane < active_; ++lane) {
    const BlockMessage& message = *messages_[lane];
    crypt_range(message, chain_of(lane), in_[lane], out_[lane], left_[lane]);
    if (mode_ != Mode::ecb) std::memcpy(message.iv, chain_of(lane), block_bytes_);
  }
  active_ = 0;
}

// Under the message's key.
void LaneGroup::crypt_range(const BlockMessage& message, std::uint8_t* chain, const std::uint8_t* in, std::uint8_t* out,
                            std::size_t num_blocks) {
  const void* schedule = ready_of(message).schedule();
  if (!message.key.empty()) {
    schedule = schedule_.data();
    cipher_.expand_key(message.key, schedule_.data());
  }
  cipher_.crypt_with(schedule, mode_, direction_, chain, in, out, num_blocks);
}

}  // namespace phalanx
