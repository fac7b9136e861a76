// A core's functions for many messages, behind plain pointers: the part of kernel_table.hpp that batches need.
#pragma once

#include "engine/engines/cpu/kernel.hpp"
#include "engine/engines/cpu/kernels/kernel_core.hpp"
#include "engine/modes/lane_modes.hpp"
#include "engine/modes/packed_ranges.hpp"

namespace phalanx {
namespace {

template <class Core>
void expand_lane_keys_of(const std::uint8_t* keys, std::size_t key_bytes, std::size_t first_lane, void* lane_schedules) {
  auto& schedules = *static_cast<typename Core::LaneSchedules*>(lane_schedules);
  call_then_wipe_stack<Core::lane_key_stack_bytes>([&] {
    if constexpr (Core::key_lanes != 0) {
      Core::expand_lane_keys(keys, key_bytes, first_lane, schedules);
    } else {
      std::uint8_t key[max_key_bytes];
      for (std::size_t i = 0; 8 * i < key_bytes; ++i)
        store_u64(key + 8 * i, load_u64(keys + 8 * (i * Core::lanes + first_lane)));
      typename Core::Schedule schedule;
      Core::expand_key(key, key_bytes, schedule);
      Core::set_lane(schedules, first_lane, schedule);
    }
  });
}

template <class Core, Direction direction>
void set_lane_of(const void* schedule, std::size_t lane, void* lane_schedules) {
  auto& schedules = *static_cast<typename Core::LaneSchedules*>(lane_schedules);
  if constexpr (Core::sets_lanes == SetsLanes::by_direction) {
    Core::template set_lane_for<direction>(schedules, lane, schedule_of<Core>(schedule));
  } else {
    Core::set_lane(schedules, lane, schedule_of<Core>(schedule));
  }
}

template <class Core, Mode mode, Direction direction>
void packed_ranges(const void* schedule, const MessageBlocks* messages, std::size_t num_messages) {
  call_then_wipe_stack<2 * Core::round_stack_bytes>([&]() PHALANX_INLINE_LAMBDA {
    PackedRanges<Core, mode, direction> packed(schedule_of<Core>(schedule), serial_blocks_of<Core>());
    for (std::size_t i = 0; i < num_messages; ++i) packed.add(messages[i]);
    packed.flush();
  });
}

/// With as narrow a core as has room for the messages.
template <class Core, class Worker, Mode mode, Direction direction>
void lanes_by(const typename Core::Schedule& schedule, std::uint8_t* rows, const LaneMessages& messages,
              std::size_t num_steps) {
  if constexpr (HasNarrower<Worker>) {
    if (messages.num_lanes <= Worker::Narrower::lanes) {
      return lanes_by<Core, typename Worker::Narrower, mode, direction>(schedule, rows, messages, num_steps);
    }
  }
  crypt_lane_rows<Core, Worker, mode, direction>(
      rows, messages, num_steps, [&schedule](auto load, auto store) PHALANX_INLINE_LAMBDA {
        Worker::template crypt<step_of(mode, direction).cipher_direction>(schedule, load, store);
      });
}
template <class Core, Mode mode, Direction direction>
void lanes_under_one_key(const void* keys, std::uint8_t* rows, const LaneMessages& messages, std::size_t num_steps) {
  call_then_wipe_stack<Core::round_stack_bytes>([&]() PHALANX_INLINE_LAMBDA {
    lanes_by<Core, Core, mode, direction>(schedule_of<Core>(keys), rows, messages, num_steps);
  });
}

template <class Core, Mode mode, Direction direction>
void lanes_under_own_keys(const void* keys, std::uint8_t* rows, const LaneMessages& messages, std::size_t num_steps) {
  const auto& schedules = *static_cast<const typename Core::LaneSchedules*>(keys);
  call_then_wipe_stack<Core::lane_round_stack_bytes>([&]() PHALANX_INLINE_LAMBDA {
    crypt_lane_rows<Core, Core, mode, direction>(
        rows, messages, num_steps, [&schedules](auto load, auto store) PHALANX_INLINE_LAMBDA {
          Core::template crypt_lanes<step_of(mode, direction).cipher_direction>(schedules, load, store);
        });
  });
}

/// The functions of one core for one mode and direction.
template <class Core, Mode mode, Direction direction>
constexpr void add_batch_functions(Kernel& kernel) {
  const auto m = static_cast<std::size_t>(mode);
  const auto d = static_cast<std::size_t>(direction);
  if constexpr (step_of(mode, direction).is_serial()) {
    kernel.multi_buffer[m][d] = lanes_under_one_key<Core, mode, direction>;
  } else {
    kernel.packed[m][d] = packed_ranges<Core, mode, direction>;
  }
  kernel.multi_key[m][d] = lanes_under_own_keys<Core, mode, direction>;
}

template <class Core, Direction direction>
constexpr void add_batch_functions(Kernel& kernel) {
  add_batch_functions<Core, Mode::ecb, direction>(kernel);
  add_batch_functions<Core, Mode::cbc, direction>(kernel);
  add_batch_functions<Core, Mode::ctr, direction>(kernel);
  add_batch_functions<Core, Mode::cfb, direction>(kernel);
  add_batch_functions<Core, Mode::ofb, direction>(kernel);
  if constexpr (Core::block_bytes == 16) add_batch_functions<Core, Mode::xts, direction>(kernel);
}

template <class Core>
constexpr void add_batch_functions(Kernel& kernel) {
  kernel.serial_messages = Core::serial_messages;
  kernel.lane_rows_bytes = LaneRows<Core>::num_bytes;
  kernel.key_lanes = Core::key_lanes == 0 ? 1 : Core::key_lanes;
  kernel.expand_lane_keys = expand_lane_keys_of<Core>;
  if constexpr (Core::sets_lanes != SetsLanes::never) {
    kernel.set_lane[static_cast<unsigned>(Direction::encrypt)] = set_lane_of<Core, Direction::encrypt>;
    kernel.set_lane[static_cast<unsigned>(Direction::decrypt)] = set_lane_of<Core, Direction::decrypt>;
  }
  add_batch_functions<Core, Direction::encrypt>(kernel);
  add_batch_functions<Core, Direction::decrypt>(kernel);
}

}  // namespace
}  // namespace phalanx
