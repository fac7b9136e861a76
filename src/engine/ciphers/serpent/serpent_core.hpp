// The Serpent cores (engine/ciphers/block_core.hpp) over groups of words: serpent_rounds.hpp says what a word holds.
#pragma once

#include "engine/ciphers/block_core.hpp"
#include "engine/ciphers/serpent/serpent_key_schedule.hpp"
#include "engine/ciphers/serpent/serpent_serial.hpp"
#include "engine/secrets/stack_wipe.hpp"

namespace phalanx {
namespace {

/// What does not depend on how the rounds add a shared key.
template <class Word, class VectorOfBlocks, std::size_t num_groups>
struct SerpentLanes {
  static constexpr std::size_t block_bytes = 16;
  static constexpr std::size_t lanes = num_groups * blocks_in_word<Word>;
  static constexpr std::size_t key_stack_bytes = 1024;
  static constexpr std::size_t lane_key_stack_bytes = 1024 + 24 * sizeof(Word);
  static constexpr bool stores_last_first = false;
  static constexpr Fetches fetches = Fetches::nothing;
  static constexpr int num_steps_beside = 0;
  static constexpr SetsLanes sets_lanes = SetsLanes::never;
  using Vector = VectorOfBlocks;

  /// rounds(x) crypts words 0 to 3 of all groups.
  template <class Rounds, class Load, class Store>
  static PHALANX_INLINE void crypt_groups(Rounds rounds, Load load, Store store) {
    Word x[num_groups][4];
    for (std::size_t group = 0; group < num_groups; ++group) load_block_words(load, group, x[group]);
    rounds(x);
    for (std::size_t group = 0; group < num_groups; ++group) store_block_words(store, group, x[group]);
  }

  using LaneSchedules = SerpentLaneKeys<num_groups, blocks_in_word<Word>>;
  static constexpr std::size_t key_lanes = blocks_in_word<Word>;
  static void expand_lane_keys(const std::uint8_t* keys, std::size_t key_bytes, std::size_t first_lane,
                               LaneSchedules& lane_keys) {
    SerpentKeySchedule::expand_lanes<Word, num_groups>(keys + 8 * first_lane, lanes, key_bytes, first_lane / key_lanes,
                                                       lane_keys);
  }
  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt_lanes(const LaneSchedules& keys, Load load, Store store) {
    crypt_groups([&keys](Word x[num_groups][4])
                     PHALANX_INLINE_LAMBDA { SerpentRounds<Word, num_groups>::template crypt<direction>(keys, x); },
                 load, store);
  }
};

/// The core for words without a three-input lookup.
template <class Word, class VectorOfBlocks, std::size_t num_groups, std::size_t num_serial_blocks>
struct SerpentCore : SerpentLanes<Word, VectorOfBlocks, num_groups>,
                     WithNarrower<SerpentCore<Word, VectorOfBlocks, num_groups / 2, num_serial_blocks>, (num_groups > 1)> {
  static constexpr std::size_t serial_blocks = num_serial_blocks;
  static constexpr std::size_t serial_messages = num_serial_blocks == 0 ? 1 : num_serial_blocks;
  static constexpr std::size_t round_stack_bytes = 768 + 16 * num_groups * sizeof(Word);
  static constexpr std::size_t lane_round_stack_bytes = round_stack_bytes;
  static constexpr std::size_t clean_blocks = 0;
  static constexpr std::size_t block_stack_bytes = 384;
  using Schedule = SerpentSchedule;

  static void expand_key(const std::uint8_t* key, std::size_t key_bytes, Schedule& schedule) {
    SerpentKeySchedule::expand(key, key_bytes, schedule);
  }
  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt(const Schedule& schedule, Load load, Store store) {
    SerpentCore::crypt_groups(
        [&schedule](Word x[num_groups][4]) PHALANX_INLINE_LAMBDA {
          if constexpr (num_groups == 1) {
            serpent_crypt_word<direction>(schedule, x);
          } else {
            SerpentRounds<Word, num_groups>::template crypt<direction>(SerpentSharedKey{schedule}, x);
          }
        },
        load, store);
  }
  template <Direction direction>
  static PHALANX_INLINE void crypt_block(const Schedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    call_then_wipe_stack<block_stack_bytes>([&] { serpent_crypt_block<direction>(schedule, in, out); });
  }
};

}  // namespace
}  // namespace phalanx
