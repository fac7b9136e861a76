// Serpent, two blocks a thread: the rounds of serpent_keyed_core.hpp over a GPU's registers.
#pragma once

#include "ciphers/serpent_keyed_core.hpp"
#include "engines/cuda/gpu_block.hpp"

namespace phalanx {
namespace {

struct GpuSerpent {
  static constexpr std::size_t block_bytes = 16;
  static constexpr unsigned blocks_per_thread = 2;
  static constexpr unsigned threads_per_block = 256;
  static constexpr unsigned resident_blocks = 4;
  static constexpr unsigned grid_blocks = 12;
  static constexpr std::size_t shared_bytes = 0;
  using Schedule = SerpentKeyedSchedule;
  using Rounds = SerpentKeyedRounds<GpuWord, blocks_per_thread>;

  static void expand_key(const std::uint8_t* key, std::size_t key_bytes, Schedule& schedule) {
    SerpentKeySchedule::expand(key, key_bytes, schedule);
    schedule.place_keys<GpuWord>();
  }
  template <Direction direction>
  PHALANX_INLINE void prepare(const Schedule& /*schedule*/, std::uint8_t* /*shared*/) {}

  template <Direction direction>
  PHALANX_INLINE void crypt(const Schedule& schedule, GpuBlock128 x[blocks_per_thread]) {
    GpuWord words[blocks_per_thread][4];
    PHALANX_UNROLL
    for (unsigned i = 0; i < 4 * blocks_per_thread; ++i) words[i / 4][i % 4] = {x[i / 4].word[i % 4]};
    if constexpr (direction == Direction::encrypt) {
      Rounds::encrypt(schedule.encrypt, words);
    } else {
      Rounds::decrypt(schedule.decrypt, words);
    }
    PHALANX_UNROLL
    for (unsigned i = 0; i < 4 * blocks_per_thread; ++i) x[i / 4].word[i % 4] = words[i / 4][i % 4].bits;
  }
};

}  // namespace
}  // namespace phalanx
