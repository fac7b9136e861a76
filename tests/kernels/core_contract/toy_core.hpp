// A cipher of four lines as a core of every kind that the contract (engine/ciphers/block_core.hpp) allows, and as a plain cipher
// beside it.
#pragma once

#include <array>
#include <cstring>
#include <type_traits>

#include "engine/ciphers/block_core.hpp"
#include "engine/lanes/word_scalar.hpp"

namespace phalanx {
namespace {

/// What a core of the toy cipher may choose.
struct ToyTraits {
  std::size_t block_bytes = 16;
  std::size_t lanes = 8;
  std::size_t serial_blocks = 0;
  std::size_t serial_messages = 1;
  std::size_t padded_blocks = 1;
  std::size_t key_lanes = 0;
  SetsLanes sets_lanes = SetsLanes::whole;
  bool stores_last_first = false;
  Fetches fetches = Fetches::nothing;
  int num_steps_beside = 0;
};

/// Halves of a block of 16 bytes, or one of 8 bytes and nothing.
using ToyBlock = std::array<std::uint64_t, 2>;

/// The key is two numbers of 64 bits. A block of 8 bytes has its second half of zeros, before and after.
template <Direction direction>
ToyBlock toy_crypt(const std::uint64_t key[2], ToyBlock block, std::size_t block_bytes) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15, inverse = 0xf1de83e19937733d;
  static_assert(odd * inverse == 1);
  const auto turned = [](std::uint64_t x, unsigned by) { return x << by | x >> (64 - by); };
  const bool is_wide = block_bytes == 16;
  if constexpr (direction == Direction::encrypt) {
    block[0] = turned((block[0] ^ key[0]) * odd, 29) + key[1];
    if (is_wide) block[1] = turned((block[1] ^ block[0]) * odd, 31) + key[0];
    if (is_wide) block[0] ^= turned(block[1], 7);
  } else {
    if (is_wide) block[0] ^= turned(block[1], 7);
    if (is_wide) block[1] = turned(block[1] - key[0], 33) * inverse ^ block[0];
    block[0] = turned(block[0] - key[1], 35) * inverse ^ key[0];
  }
  return block;
}

template <Direction direction>
void toy_crypt_bytes(const std::uint64_t key[2], const std::uint8_t* in, std::uint8_t* out, std::size_t block_bytes) {
  ToyBlock block{};
  std::memcpy(block.data(), in, block_bytes);
  block = toy_crypt<direction>(key, block, block_bytes);
  std::memcpy(out, block.data(), block_bytes);
}

struct alignas(64) ToySchedule {
  std::uint64_t key[2];
};

template <ToyTraits traits>
struct ToyRangeCore {
  static constexpr std::size_t block_bytes = traits.block_bytes;
  static constexpr std::size_t lanes = traits.lanes;
  static constexpr std::size_t padded_blocks = traits.padded_blocks;
  static constexpr bool stores_last_first = traits.stores_last_first;
  static constexpr Fetches fetches = traits.fetches;
  static constexpr int num_steps_beside = traits.num_steps_beside;
  using Vector = std::conditional_t<traits.block_bytes == 16, Block128, PlainWord128>;
  using Schedule = ToySchedule;

  /// key_of(lane) is the key of a lane.
  template <Direction direction, class KeyOf, class Load, class Store, class Between>
  static void crypt_group(KeyOf key_of, Load load, Store store, Between between) {
    std::uint8_t bytes[lanes * block_bytes];
    constexpr std::size_t num = sizeof bytes / sizeof(Vector);
    for (std::size_t i = 0; i < num; ++i) load(i).store(bytes + i * sizeof(Vector));
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      std::uint8_t* const block = bytes + lane * block_bytes;
      toy_crypt_bytes<direction>(key_of(lane), block, block, block_bytes);
    }
    between();
    for (std::size_t i = 0; i < num; ++i) {
      const std::size_t at = stores_last_first ? num - 1 - i : i;
      store(at, Vector::load(bytes + at * sizeof(Vector)));
    }
  }
  template <Direction direction, class Load, class Store>
  static void crypt(const Schedule& schedule, Load load, Store store) {
    crypt_group<direction>([&](std::size_t) { return schedule.key; }, load, store, [] {});
  }
  template <Direction direction, class Load, class Store>
  static void crypt(const Schedule& schedule, Load load, Store store,
                    PrefetchHint ahead) requires(fetches != Fetches::nothing) {
    if constexpr (fetches == Fetches::far_ahead) {
      ahead.fetch_line(0);
    } else {
      ahead.fetch(0, lanes * block_bytes);
    }
    crypt<direction>(schedule, load, store);
  }
  template <Direction direction, class Load, class Store, class Beside>
  static void crypt_beside(const Schedule& schedule, Load load, Store store, Beside beside) requires(num_steps_beside != 0) {
    crypt_group<direction>([&](std::size_t) { return schedule.key; }, load, store,
                           [&] {
                             for (int step = 0; step < num_steps_beside; ++step) beside(step);
                           });
  }
  static void fetch_line(PrefetchHint ahead, int /*line*/) requires(num_steps_beside != 0) { ahead.fetch_line(0); }
  template <Direction direction>
  static void crypt_block(const Schedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    toy_crypt_bytes<direction>(schedule.key, in, out, block_bytes);
  }
  template <class Store>
  static void crypt_counters(const Schedule& schedule, std::uint64_t first, Store store,
                             PrefetchHint /*ahead*/) requires(block_bytes == 8) {
    std::uint64_t counters[lanes];
    for (std::size_t i = 0; i < lanes; ++i) counters[i] = reverse_bytes(first + i);
    const auto load = [&](std::size_t i) { return Vector::load(counters + i * (sizeof(Vector) / block_bytes)); };
    crypt<Direction::encrypt>(schedule, load, store);
  }
};

template <ToyTraits traits>
struct ToyCore : ToyRangeCore<traits> {
  using Base = ToyRangeCore<traits>;
  using Schedule = typename Base::Schedule;
  static constexpr std::size_t serial_blocks = traits.serial_blocks;
  static constexpr std::size_t serial_messages = traits.serial_messages;
  static constexpr std::size_t key_lanes = traits.key_lanes;
  static constexpr SetsLanes sets_lanes = traits.sets_lanes;
  static constexpr std::size_t key_stack_bytes = 1024;
  static constexpr std::size_t lane_key_stack_bytes = 1024;
  static constexpr std::size_t round_stack_bytes = 0;
  static constexpr std::size_t lane_round_stack_bytes = 0;
  static constexpr std::size_t clean_blocks = 0;
  struct alignas(64) LaneSchedules {
    Schedule of[Base::lanes];
  };

  static void expand_key(const std::uint8_t* key, std::size_t /*key_bytes*/, Schedule& schedule) {
    std::memcpy(schedule.key, key, sizeof schedule.key);
  }
  static void expand_lane_keys(const std::uint8_t* keys, std::size_t /*key_bytes*/, std::size_t first_lane,
                               LaneSchedules& schedules) requires(key_lanes != 0) {
    for (std::size_t lane = first_lane; lane < first_lane + key_lanes; ++lane) {
      for (std::size_t i = 0; i < 2; ++i) {
        std::memcpy(&schedules.of[lane].key[i], keys + 8 * (i * Base::lanes + lane), 8);
      }
    }
  }
  static void set_lane(LaneSchedules& schedules, std::size_t lane,
                       const Schedule& schedule) requires(sets_lanes == SetsLanes::whole) {
    schedules.of[lane] = schedule;
  }
  template <Direction direction>
  static void set_lane_for(LaneSchedules& schedules, std::size_t lane,
                           const Schedule& schedule) requires(sets_lanes == SetsLanes::by_direction) {
    schedules.of[lane] = schedule;
  }
  template <Direction direction, class Load, class Store>
  static void crypt_lanes(const LaneSchedules& keys, Load load, Store store) {
    Base::template crypt_group<direction>([&](std::size_t lane) { return keys.of[lane].key; }, load, store, [] {});
  }
};

}  // namespace
}  // namespace phalanx
