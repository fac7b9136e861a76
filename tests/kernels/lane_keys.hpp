// A key for each lane of a kernel, and a block for each lane.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "engine/engines/cpu/kernel.hpp"

namespace phalanx {

class LaneKeys {
 public:
  explicit LaneKeys(const Kernel& kernel, std::size_t key_bytes)
      : kernel_(kernel),
        key_bytes_(key_bytes),
        key_parts_(key_bytes * kernel.lanes),
        schedules_(kernel.lane_schedules_bytes + 64, 0xa5),  // whatever was there before
        rows_(kernel.lane_rows_bytes + 64, 0x5a) {}

  /// `key` as the kernel takes it. Valid after expand.
  void set(std::size_t lane, const std::vector<std::uint8_t>& key) {
    for (std::size_t i = 0; 8 * i < key_bytes_; ++i) {
      std::memcpy(&key_parts_[8 * (i * kernel_.lanes + lane)], &key[8 * i], 8);
    }
  }
  /// The keys of the lanes that are expanded together with `lane`.
  void expand(std::size_t lane) {
    kernel_.expand_lane_keys(key_parts_.data(), key_bytes_, lane - lane % kernel_.key_lanes, aligned(schedules_));
  }
  void expand_all() {
    for (std::size_t lane = 0; lane < kernel_.lanes; lane += kernel_.key_lanes) expand(lane);
  }

  /// One block of each lane, in ECB.
  void crypt(Direction direction, const std::uint8_t* in, std::uint8_t* out) {
    std::vector<const std::uint8_t*> ins(kernel_.lanes);
    std::vector<std::uint8_t*> outs(kernel_.lanes);
    const std::vector<std::size_t> one_block(kernel_.lanes, 1);
    for (std::size_t lane = 0; lane < kernel_.lanes; ++lane) {
      ins[lane] = in + lane * kernel_.block_bytes;
      outs[lane] = out + lane * kernel_.block_bytes;
    }
    const LaneMessages messages{ins.data(), outs.data(), one_block.data(), kernel_.lanes};
    kernel_.multi_key[static_cast<int>(Mode::ecb)][static_cast<int>(direction)](aligned(schedules_), aligned(rows_),
                                                                                messages, 1);
  }

 private:
  static std::uint8_t* aligned(std::vector<std::uint8_t>& memory) {
    return memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
  }

  const Kernel& kernel_;
  std::size_t key_bytes_;
  std::vector<std::uint8_t> key_parts_;
  std::vector<std::uint8_t> schedules_;
  std::vector<std::uint8_t> rows_;
};

}  // namespace phalanx
