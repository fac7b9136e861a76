// Serpent, a block or two in a thread: the rounds of serpent_keyed_core.hpp over a GPU's registers.
#pragma once

#include "engine/ciphers/serpent/serpent_keyed_core.hpp"
#include "engine/lanes/gpu_key_vectors.hpp"

namespace phalanx {
namespace {

template <unsigned num_blocks>
struct GpuSerpent {
  static constexpr std::size_t block_bytes = 16;
  static constexpr unsigned blocks_per_thread = num_blocks;
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

/// Messages with a key each. Vector j of an expanded key is K_j.
struct GpuSerpentOfKeys {
  static constexpr std::size_t block_bytes = 16;
  static constexpr unsigned threads_per_block = 256;
  static constexpr unsigned resident_blocks = 3;
  static constexpr unsigned grid_blocks = 6;
  static constexpr std::size_t shared_bytes = 0;
  static constexpr unsigned key_vectors = 33;

  /// A stream's round keys, as SerpentRounds adds them.
  struct RoundKeys {
    const GpuMessageKeys& keys;

    PHALANX_INLINE void add(std::size_t round, std::size_t /*group*/, GpuWord x[4]) const {
      const GpuMessageKeys::Vector key = keys[static_cast<unsigned>(round)];
      PHALANX_UNROLL
      for (unsigned i = 0; i < 4; ++i) x[i] = x[i] ^ GpuWord { key[i] };
    }
  };

  template <Direction direction>
  static PHALANX_INLINE void expand_key(const std::uint8_t* key, std::size_t key_bytes, const GpuMessageKeys& keys) {
    SerpentPrekeys<GpuWord> prekeys{keys.vectors + 16 * keys.message, 16 * keys.num_messages, {}};
    PHALANX_UNROLL
    for (unsigned i = 0; i < 8; ++i) {
      // A short key is followed by a one and zeros.
      prekeys.w[i] = 4 * i < key_bytes ? GpuWord::load(key + 4 * i) : GpuWord{4 * i == key_bytes ? 1U : 0U};
    }
    prekeys.expand();
  }
  template <Direction direction>
  PHALANX_INLINE void prepare(std::uint8_t* /*shared*/) {}
  template <Direction direction>
  PHALANX_INLINE void crypt(const GpuMessageKeys& keys, std::size_t /*key_bytes*/, GpuBlock128& x) const {
    GpuWord words[1][4] = {{{x.word[0]}, {x.word[1]}, {x.word[2]}, {x.word[3]}}};
    if constexpr (direction == Direction::encrypt) {
      SerpentRounds<GpuWord, 1>::encrypt(RoundKeys{keys}, words);
    } else {
      SerpentRounds<GpuWord, 1>::decrypt(RoundKeys{keys}, words);
    }
    PHALANX_UNROLL
    for (unsigned i = 0; i < 4; ++i) x.word[i] = words[0][i].bits;
  }
};

}  // namespace
}  // namespace phalanx
