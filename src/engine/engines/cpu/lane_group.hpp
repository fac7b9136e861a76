// One thread's lanes: each follows a message of its own, block by block, and takes the next message when that one ends.
#pragma once

#include <vector>

#include "engine/engines/cpu/cpu_cipher.hpp"
#include "engine/engines/cpu/message_queue.hpp"

namespace phalanx {

/// Where the keys of lanes come from: one schedule for all; keys, which are expanded; or schedules that are ready, and the
/// kernel takes them (Kernel::set_lane).
enum class LaneKeys : unsigned char { one, expanded, prepared };

class LaneGroup {
 public:
  /// One of num_groups groups that take messages from the queue.
  LaneGroup(const CpuCipher& cipher, Mode mode, Direction direction, LaneKeys keys, MessageQueue& queue,
            std::size_t num_groups);

  /// Crypts messages of the queue until it is empty.
  void run();

 private:
  bool fill(std::size_t lane);
  void set_key(std::size_t lane, const BlockMessage& message);
  void expand_new_keys();
  [[nodiscard]] std::size_t choose_num_steps() const;
  void retire(std::size_t num_steps);
  void finish_chain(std::size_t lane, std::size_t steps_beyond);
  void move_lane(std::size_t from, std::size_t to);
  [[nodiscard]] bool ranges_are_faster() const;
  void crypt_rest_as_ranges();
  void crypt_range(const BlockMessage& message, std::uint8_t* chain, const std::uint8_t* in, std::uint8_t* out,
                   std::size_t num_blocks);

  [[nodiscard]] bool own_keys() const { return lane_keys_ != LaneKeys::one; }
  [[nodiscard]] const CpuCipher& ready_of(const BlockMessage& message) const {
    return message.prepared_key == nullptr ? cipher_
                                           : static_cast<const CpuCipher&>(*message.prepared_key);  // of the same engine
  }
  std::uint8_t* chain_of(std::size_t lane) { return rows_.data() + lane * block_bytes_; }
  std::uint8_t* key_part_of(std::size_t lane, std::size_t part) { return keys_.data() + 8 * (part * kernel_.lanes + lane); }
  std::uint8_t* last_input_of(std::size_t lane) { return last_inputs_.data() + lane * block_bytes_; }

  const CpuCipher& cipher_;
  const Kernel& kernel_;
  Mode mode_;
  Direction direction_;
  LaneKeys lane_keys_;
  bool divisible_;
  bool needs_last_input_;  ///< for the chaining state after a message
  std::size_t block_bytes_;
  MessageQueue::Taker taker_;
  SecretBytes rows_;         ///< the kernel's; at first the chaining states
  SecretBytes last_inputs_;  ///< of each lane's message, if they are needed
  SecretBytes keys_;
  SecretBytes lane_schedules_;
  SecretBytes schedule_;    ///< of a message that is crypted as a range
  std::size_t active_ = 0;  ///< lanes 0 to active_ - 1 have a message each
  bool exhausted_ = false;  ///< no message is left to take
  bool has_new_keys_ = false;
  std::vector<std::uint8_t> new_keys_;  ///< for each key_lanes lanes: some key has changed
  std::vector<const BlockMessage*> messages_;
  std::vector<const std::uint8_t*> in_;
  std::vector<std::uint8_t*> out_;
  std::vector<std::size_t> left_;  ///< blocks still to do
};

}  // namespace phalanx
