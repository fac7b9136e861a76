// The Twofish core (engine/ciphers/block_core.hpp) over vectors. A schedule says how the key-dependent S-boxes of g are
// computed:
//
//   TwofishKey key;
//   static void expand(key, key_bytes, schedule);
//   W g(W x) const;                         // of every 32-bit word, for a few blocks: twofish_few_blocks.hpp
//   static constexpr few_groups;            // so many groups of those take less time than one of these, or no more
//   void h_of_both(W x[4], W y[4]) const;   // with the words L: twofish_packed.hpp
#pragma once

#include "engine/ciphers/block_core.hpp"
#include "engine/ciphers/twofish/twofish_few_blocks.hpp"
#include "engine/ciphers/twofish/twofish_lane_keys.hpp"
#include "engine/secrets/stack_wipe.hpp"

namespace phalanx {
namespace {

/// The same byte of L for every lane.
template <class W>
struct TwofishBroadcastKeys {
  const TwofishKey& key;
  unsigned num_layers;

  PHALANX_INLINE TwofishMixed<W> layer(std::size_t l, std::size_t column) const {
    const auto byte = static_cast<std::uint8_t>(key.L[l] >> (8 * column));
    return TwofishNibbles<W>::begin(TwofishNibbles<W>::alternate(byte, byte));
  }
};

/// The key-dependent S-boxes of section 4.3.2: store(column, first, y) gets the entries of x = first, first + 1, ...
template <class W, class Store>
PHALANX_INLINE void twofish_expand_tables(const TwofishKey& key, Store store) {
  const TwofishBroadcastKeys<W> keys{key, key.num_layers};
  for (unsigned first = 0; first < 256; first += sizeof(W)) {
    const W x = TwofishNibbles<W>::lane_numbers(static_cast<std::uint8_t>(first));
    const W bytes[4] = {x, x, x, x};
    TwofishProducts<W> p[4];
    twofish_substitute<TwofishNibbles<W>>(bytes, keys, p);
    for (unsigned column = 0; column < 4; ++column) store(column, first, p[column].y);
  }
}

/// One key in every lane, whatever the schedule.
template <class W, class Schedule>
struct TwofishSharedKey {
  const Schedule& schedule;

  PHALANX_INLINE const TwofishSharedKey& group(std::size_t /*number*/) const { return *this; }
  PHALANX_INLINE W K(std::size_t i, std::size_t /*row*/) const { return W::broadcast32(schedule.key.K[i]); }
  PHALANX_INLINE void h_of_both(W x[4], W y[4]) const { schedule.h_of_both(x, y); }
};

template <class W, class KeySchedule, std::size_t num_groups>
struct TwofishPackedCore;

/// A base of a core of num_groups groups: its Narrower one.
template <class W, class KeySchedule, std::size_t num_groups>
struct TwofishNarrower : WithNarrower<TwofishPackedCore<W, KeySchedule, num_groups / 2>, true> {};
template <class W, class KeySchedule>
struct TwofishNarrower<W, KeySchedule, 1> : WithNarrower<TwofishFewBlocks<W, KeySchedule>, true> {
  static constexpr std::size_t padded_blocks = KeySchedule::few_groups * TwofishFewBlocks<W, KeySchedule>::lanes + 1;
};

/// num_groups groups take turns, round by round: none waits for another, so each hides the latency of the others.
template <class W, class KeySchedule, std::size_t num_groups>
struct TwofishPackedCore : TwofishNarrower<W, KeySchedule, num_groups> {
  using Packed = TwofishPacked<W>;
  static constexpr std::size_t block_bytes = 16;
  static constexpr std::size_t lanes = num_groups * Packed::blocks;
  using FewBlocks = TwofishFewBlocks<W, KeySchedule>;
  static constexpr std::size_t serial_blocks = 1;
  static constexpr std::size_t serial_messages = 1;
  static constexpr SetsLanes sets_lanes = SetsLanes::never;
  static constexpr bool stores_last_first = false;
  static constexpr Fetches fetches = Fetches::nothing;
  static constexpr int num_steps_beside = 0;
  static constexpr std::size_t key_stack_bytes = 6144;
  static constexpr std::size_t lane_key_stack_bytes = 1024 + 192 * sizeof(W);
  static constexpr std::size_t lane_round_stack_bytes = 512 + 5 * lanes * block_bytes;
  static constexpr std::size_t round_stack_bytes = sizeof(W) == 64 ? 0 : lane_round_stack_bytes;  // by its registers
  static constexpr std::size_t clean_blocks = KeySchedule::few_groups * FewBlocks::lanes;         // they take no other core
  using Vector = W;
  using Schedule = KeySchedule;
  using LaneSchedules = TwofishLaneKeys<W, num_groups>;
  using Word = typename Packed::Word;

  static void expand_key(const std::uint8_t* key, std::size_t key_bytes, Schedule& schedule) {
    Schedule::expand(key, key_bytes, schedule);
  }

  /// Not inlined: every mode shares this one copy.
  template <Direction direction, class Keys>
  static __attribute__((noinline)) void crypt_words(const Keys& keys, Word x[num_groups][4]) noexcept {
    constexpr bool encrypt = direction == Direction::encrypt;
    for (std::size_t n = 0; n < num_groups; ++n) Packed::whiten(keys.group(n), encrypt ? 0 : 4, x[n]);
    for (std::size_t step = 0; step < 16; ++step) {
#pragma GCC unroll 1
      for (std::size_t n = 0; n < num_groups; ++n) Packed::template round<direction>(keys.group(n), step, x[n]);
    }
    for (std::size_t n = 0; n < num_groups; ++n) {
      Packed::swap_halves(x[n]);
      Packed::whiten(keys.group(n), encrypt ? 4 : 0, x[n]);
    }
  }
  template <Direction direction, class Keys, class Load, class Store>
  static PHALANX_INLINE void crypt_groups(const Keys& keys, Load load, Store store) {
    Word x[num_groups][4];
    for (std::size_t n = 0; n < num_groups; ++n) Packed::load(load, n, x[n]);
    crypt_words<direction>(keys, x);
    for (std::size_t n = 0; n < num_groups; ++n) Packed::store(store, n, x[n]);
  }
  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt(const Schedule& schedule, Load load, Store store) {
    crypt_groups<direction>(TwofishSharedKey<W, Schedule>{schedule}, load, store);
  }
  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt_lanes(const LaneSchedules& keys, Load load, Store store) {
    crypt_groups<direction>(keys, load, store);
  }

  template <Direction direction>
  static PHALANX_INLINE void crypt_block(const Schedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    FewBlocks::template crypt_block<direction>(schedule, in, out);
  }

  static constexpr std::size_t key_lanes = Packed::blocks;
  static void expand_lane_keys(const std::uint8_t* keys, std::size_t key_bytes, std::size_t first_lane,
                               LaneSchedules& lane_keys) {
    lane_keys.groups[first_lane / key_lanes].expand(keys + 8 * first_lane, lanes, key_bytes);
  }
};

}  // namespace
}  // namespace phalanx
