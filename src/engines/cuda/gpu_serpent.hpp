// Serpent, one block a thread: the rounds of serpent_core.hpp over a GPU's register.
#pragma once

#include "ciphers/serpent_core.hpp"
#include "engines/cuda/gpu_block.hpp"

namespace phalanx {
namespace {

struct GpuSerpent {
  static constexpr std::size_t block_bytes = 16;
  static constexpr unsigned blocks_per_thread = 1;
  static constexpr unsigned threads_per_block = 256;
  static constexpr unsigned resident_blocks = 6;
  static constexpr unsigned grid_blocks = 24;
  static constexpr std::size_t shared_bytes = 0;
  using Schedule = SerpentSchedule;

  static void expand_key(const std::uint8_t* key, std::size_t key_bytes, Schedule& schedule) {
    SerpentKeySchedule::expand(key, key_bytes, schedule);
  }
  template <Direction direction>
  PHALANX_INLINE void prepare(const Schedule& /*schedule*/, std::uint8_t* /*shared*/) {}

  template <Direction direction>
  PHALANX_INLINE void crypt(const Schedule& schedule, GpuBlock128 x[1]) {
    GpuWord words[1][4] = {{{x[0].word[0]}, {x[0].word[1]}, {x[0].word[2]}, {x[0].word[3]}}};
    if constexpr (direction == Direction::encrypt) {
      SerpentRounds<GpuWord, 1>::encrypt(SerpentSharedKey{schedule}, words);
    } else {
      SerpentRounds<GpuWord, 1>::decrypt(SerpentSharedKey{schedule}, words);
    }
    for (unsigned i = 0; i < 4; ++i) x[0].word[i] = words[0][i].bits;
  }
};

}  // namespace
}  // namespace phalanx
