// Recording a core of engine/ciphers/block_core.hpp whole: from the bytes of keys and blocks to the bytes of blocks.
#pragma once

#include "claims.hpp"
#include "recorded_words.hpp"

namespace prove {

inline Signals block_signals(const void* blocks, std::size_t block_bytes, std::size_t index) {
  return read_memory(static_cast<const std::uint8_t*>(blocks) + index * block_bytes, block_bytes);
}

/// Blocks of memory, each unknown by itself.
template <std::size_t block_bytes, std::size_t num_blocks>
struct UnknownBlocks {
  std::uint8_t bytes[num_blocks * block_bytes];
  std::vector<Signals> inputs;

  UnknownBlocks() {
    for (std::size_t i = 0; i < num_blocks; ++i) inputs.push_back(unknown_memory(bytes + i * block_bytes, block_bytes));
  }
  ~UnknownBlocks() { forget_memory(bytes, sizeof bytes); }

  [[nodiscard]] std::vector<Signals> now() const {
    std::vector<Signals> blocks;
    for (std::size_t i = 0; i < num_blocks; ++i) blocks.push_back(block_signals(bytes, block_bytes, i));
    return blocks;
  }
};

/// A core's loads and stores, in place.
template <class Vector>
auto loads_of(std::uint8_t* bytes) {
  return [bytes](std::size_t i) { return Vector::load(bytes + i * sizeof(Vector)); };
}
template <class Vector>
auto stores_to(std::uint8_t* bytes) {
  return [bytes](std::size_t i, Vector v) { v.store(bytes + i * sizeof(Vector)); };
}

/// One key for all lanes: expand_key and crypt.
template <class Core, phalanx::Direction direction, std::size_t key_bytes, class Specification>
Recording record_shared_key(Specification specified) {
  std::uint8_t key[key_bytes];
  const Signals key_inputs = unknown_memory(key, key_bytes);
  UnknownBlocks<Core::block_bytes, Core::lanes> blocks;
  typename Core::Schedule schedule;
  Core::expand_key(key, key_bytes, schedule);
  using Vector = typename Core::Vector;
  Core::template crypt<direction>(schedule, loads_of<Vector>(blocks.bytes), stores_to<Vector>(blocks.bytes));
  forget_memory(key, key_bytes);
  return {one_of_equal_lanes(blocks.now(), blocks.inputs), specified(direction, key_inputs, blocks.inputs[0])};
}

/// One block by itself: expand_key and crypt_block.
template <class Core, phalanx::Direction direction, std::size_t key_bytes, class Specification>
Recording record_single_block(Specification specified) {
  std::uint8_t key[key_bytes];
  const Signals key_inputs = unknown_memory(key, key_bytes);
  UnknownBlocks<Core::block_bytes, 1> block;
  typename Core::Schedule schedule;
  Core::expand_key(key, key_bytes, schedule);
  Core::template crypt_block<direction>(schedule, block.bytes, block.bytes);
  forget_memory(key, key_bytes);
  return {block.now()[0], specified(direction, key_inputs, block.inputs[0])};
}

/// A key in each lane: expand_lane_keys and crypt_lanes.
template <class Core, phalanx::Direction direction, std::size_t key_bytes, class Specification>
Recording record_lane_keys(Specification specified) {
  std::uint8_t keys[Core::lanes * key_bytes];  // eight bytes of every lane's key, then the next eight
  std::vector<Signals> inputs(Core::lanes);
  for (std::size_t at = 0; at < sizeof keys; at += 8) {
    const Signals eight = unknown_memory(keys + at, 8);
    Signals& lane = inputs[at / 8 % Core::lanes];
    lane.insert(lane.end(), eight.begin(), eight.end());
  }
  const std::vector<Signals> key_inputs = inputs;
  UnknownBlocks<Core::block_bytes, Core::lanes> blocks;
  for (std::size_t i = 0; i < Core::lanes; ++i) {
    inputs[i].insert(inputs[i].end(), blocks.inputs[i].begin(), blocks.inputs[i].end());
  }
  static typename Core::LaneSchedules schedules;
  for (std::size_t lane = 0; lane < Core::lanes; lane += Core::key_lanes) {
    Core::expand_lane_keys(keys, key_bytes, lane, schedules);
  }
  using Vector = typename Core::Vector;
  Core::template crypt_lanes<direction>(schedules, loads_of<Vector>(blocks.bytes), stores_to<Vector>(blocks.bytes));
  forget_memory(keys, sizeof keys);
  return {one_of_equal_lanes(blocks.now(), inputs), specified(direction, key_inputs[0], blocks.inputs[0])};
}

}  // namespace prove
