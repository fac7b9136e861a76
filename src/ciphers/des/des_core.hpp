// DES (FIPS 46-3), double DES and triple DES (SP 800-67), bitsliced: one lane word holds one bit of every block.
//
// The 64 planes of a group lie in memory in the order of the standard's bit numbers. So IP, its inverse, E and P are only
// constants in the addresses, and the L and R of a pass are the same planes as the R and L of the next: IP undoes the inverse
// IP between two passes and what is left is the exchange of halves after round 16. By IP's columns bit i of R is always the
// plane before bit i of L, so either half is a pointer into the same array.
#pragma once

#include "ciphers/block_core.hpp"
#include "ciphers/des/circuits/des_sbox_two_input_circuits.hpp"
#include "ciphers/des/des_key.hpp"
#include "ciphers/direction.hpp"
#include "lanes/counter_planes.hpp"
#include "lanes/lane_word.hpp"

namespace phalanx {
namespace {

template <class W>
inline constexpr KeyForm key_form = LacksLut3<W> ? KeyForm::plain : KeyForm::folded;

/// The keys of one round: input<box, i>(r) is input i (from 0) of the box, from R's bit r; update<i>(l, s) is bit i of L ^ f, from
/// L's bit l and the S-boxes' s. Here from a schedule that all lanes share.
template <class W>
struct SharedRoundKey {
  const std::uint64_t* bit;

  template <std::size_t box, std::size_t i>
  PHALANX_INLINE W input(W r) const {
    if constexpr (key_form<W> == KeyForm::folded && i >= 2) return r;
    return r ^ W::broadcast64(bit[6 * box + i]);
  }
  template <std::size_t i>
  PHALANX_INLINE W update(W l, W s) const {
    if constexpr (key_form<W> == KeyForm::plain) return l ^ s;
    return lut3<0x96>(s, l, W::broadcast64(bit[folded_use_of(i)]));
  }
};

/// The same from a key for each lane: planes of the key's bits, which the key schedule only selects from.
template <class W>
struct LaneRoundKey {
  const W* key_planes;
  const std::uint8_t* selection;

  template <std::size_t box, std::size_t i>
  PHALANX_INLINE W input(W r) const {
    return r ^ key_planes[selection[6 * box + i]];
  }
  template <std::size_t i>
  PHALANX_INLINE W update(W l, W s) const {
    return l ^ s;
  }
};

template <unsigned box, class W>
PHALANX_INLINE SBoxOutput<W> des_s_box(W a1, W a2, W a3, W a4, W a5, W a6) {
  if constexpr (box == 0) return des_s1(a1, a2, a3, a4, a5, a6);
  if constexpr (box == 1) return des_s2(a1, a2, a3, a4, a5, a6);
  if constexpr (box == 2) return des_s3(a1, a2, a3, a4, a5, a6);
  if constexpr (box == 3) return des_s4(a1, a2, a3, a4, a5, a6);
  if constexpr (box == 4) return des_s5(a1, a2, a3, a4, a5, a6);
  if constexpr (box == 5) return des_s6(a1, a2, a3, a4, a5, a6);
  if constexpr (box == 6) return des_s7(a1, a2, a3, a4, a5, a6);
  if constexpr (box == 7) return des_s8(a1, a2, a3, a4, a5, a6);
}

template <std::size_t pair, class W>
PHALANX_INLINE TwoSBoxOutputs<W> des_two_s_boxes(W a1, W a2, W a3, W a4, W a5, W a6, W b1, W b2, W b3, W b4, W b5, W b6) {
  if constexpr (pair == 0) return des_s1_s2(a1, a2, a3, a4, a5, a6, b1, b2, b3, b4, b5, b6);
  if constexpr (pair == 1) return des_s3_s4(a1, a2, a3, a4, a5, a6, b1, b2, b3, b4, b5, b6);
  if constexpr (pair == 2) return des_s5_s6(a1, a2, a3, a4, a5, a6, b1, b2, b3, b4, b5, b6);
  if constexpr (pair == 3) return des_s7_s8(a1, a2, a3, a4, a5, a6, b1, b2, b3, b4, b5, b6);
}

/// Input i (from 0) of a box: E and the round key.
template <std::size_t box, std::size_t i, class W, class RoundKey>
PHALANX_INLINE W box_input(const W* right, RoundKey key) {
  return key.template input<box, i>(right[plane_of(E[6 * box + i])]);
}

/// L ^= P of a box's outputs.
template <std::size_t box, class W, class RoundKey>
PHALANX_INLINE void add_box_output(W* left, SBoxOutput<W> s, RoundKey key) {
  constexpr const std::uint8_t* to = inverse_p.position + 4 * box;
  left[plane_of(to[0])] = key.template update<to[0]>(left[plane_of(to[0])], s.y1);
  left[plane_of(to[1])] = key.template update<to[1]>(left[plane_of(to[1])], s.y2);
  left[plane_of(to[2])] = key.template update<to[2]>(left[plane_of(to[2])], s.y3);
  left[plane_of(to[3])] = key.template update<to[3]>(left[plane_of(to[3])], s.y4);
}

/// The part of L ^= f(R, K) that goes through two S-boxes: side by side where there are 32 registers, else one after the other.
template <std::size_t pair, class W, class RoundKey>
PHALANX_INLINE void feistel_boxes(W* left, const W* right, RoundKey key) {
  constexpr std::size_t a = 2 * pair;
  constexpr std::size_t b = a + 1;
  if constexpr (LacksLut3<W>) {
    add_box_output<a>(left,
                      des_s_box<a>(box_input<a, 0>(right, key), box_input<a, 1>(right, key), box_input<a, 2>(right, key),
                                   box_input<a, 3>(right, key), box_input<a, 4>(right, key), box_input<a, 5>(right, key)),
                      key);
    add_box_output<b>(left,
                      des_s_box<b>(box_input<b, 0>(right, key), box_input<b, 1>(right, key), box_input<b, 2>(right, key),
                                   box_input<b, 3>(right, key), box_input<b, 4>(right, key), box_input<b, 5>(right, key)),
                      key);
  } else {
    const TwoSBoxOutputs<W> s = des_two_s_boxes<pair>(
        box_input<a, 0>(right, key), box_input<a, 1>(right, key), box_input<a, 2>(right, key), box_input<a, 3>(right, key),
        box_input<a, 4>(right, key), box_input<a, 5>(right, key), box_input<b, 0>(right, key), box_input<b, 1>(right, key),
        box_input<b, 2>(right, key), box_input<b, 3>(right, key), box_input<b, 4>(right, key), box_input<b, 5>(right, key));
    add_box_output<a>(left, s.first, key);
    add_box_output<b>(left, s.second, key);
  }
}

/// L ^= f(R, K).
template <class W, class RoundKey>
PHALANX_INLINE void feistel(W* left, const W* right, RoundKey key) {
  feistel_boxes<0>(left, right, key);
  feistel_boxes<1>(left, right, key);
  feistel_boxes<2>(left, right, key);
  feistel_boxes<3>(left, right, key);
}

/// One pass of 16 rounds, the first pass being 0; each exchanges the halves of the one before. Rounds come in twos, so that
/// they need no exchange. round_key(round) is the key of round 0..15.
/// beside(round) is called once in two rounds, for what else there is to do.
template <class W, class RoundKeys, class Beside>
PHALANX_INLINE void des_pass(W* planes, std::size_t pass, RoundKeys round_key, Beside beside) {
  W* left = planes + (pass % 2 == 0 ? 1 : 0);  // bit IP[0] = 58, numbered from 1, is plane_of(1) from here
  W* right = planes + (pass % 2 == 0 ? 0 : 1);
#pragma GCC unroll 1
  for (std::size_t round = 0; round < 16; round += 2) {
    feistel(left, right, round_key(round));
    feistel(right, left, round_key(round + 1));
    beside(round);
  }
}

/// All passes over the planes of a group, which come from FirstPlanes and leave by LastPlanes.
template <Direction direction, class W>
__attribute__((noinline)) void des_passes(const DesSchedule& schedule, W* planes, Ahead ahead) {
  const std::size_t num_passes = schedule.num_passes;
  for (std::size_t pass = 0; pass < num_passes; ++pass) {
    if (key_form<W> == KeyForm::folded && pass != 0) {
      const std::uint64_t* edge = schedule.edge[direction == Direction::encrypt ? pass : num_passes - pass];
      W* right = planes + pass % 2;
      for (std::size_t m = 0; m < 32; ++m) right[2 * m] = right[2 * m] ^ W::broadcast64(edge[m]);
    }
    const auto round_key = [&](std::size_t round) PHALANX_INLINE_LAMBDA {
      const std::size_t r = 16 * pass + round;
      return SharedRoundKey<W>{schedule.bit[direction == Direction::encrypt ? r : 16 * num_passes - 1 - r]};
    };
    des_pass(planes, pass, round_key, [&](std::size_t round) PHALANX_INLINE_LAMBDA {
      constexpr std::size_t num_bytes = 64 * sizeof(W) / 8;  // of the group, in each of 8 double rounds of the first pass
      if (pass == 0) ahead.fetch(round / 2 * num_bytes, num_bytes);
    });
  }
}

/// Where a transpose puts the planes of the input: the even ones are R of the first pass.
template <Direction direction, class W>
struct FirstPlanes {
  const DesSchedule& schedule;
  W* planes;

  PHALANX_INLINE void operator()(std::size_t n, W plane) const {
    const std::uint64_t* edge = schedule.edge[direction == Direction::encrypt ? 0 : schedule.num_passes];
    planes[n] = key_form<W> == KeyForm::folded && n % 2 == 0 ? plane ^ W::broadcast64(edge[n / 2]) : plane;
  }
};

/// Where it finds those of the output: plane n is bit n + 1, and the even ones were R of the last round.
template <Direction direction, class W>
struct LastPlanes {
  const DesSchedule& schedule;
  const W* planes;

  PHALANX_INLINE W operator()(std::size_t n) const {
    const std::uint64_t* edge = schedule.edge[direction == Direction::encrypt ? schedule.num_passes : 0];
    const W plane = planes[n ^ (schedule.num_passes & 1)];  // an odd number of passes leaves the halves exchanged
    return key_form<W> == KeyForm::folded && n % 2 == 0 ? plane ^ W::broadcast64(edge[n / 2]) : plane;
  }
};

/// A key for each lane, as planes: plane i holds bit i + 1 of every lane's key.
template <class W>
struct alignas(64) DesLaneSchedules {
  W key_planes[max_des_passes][64];
  std::size_t num_passes;
};

template <Direction direction, class W>
__attribute__((noinline)) void des_lane_passes(const DesLaneSchedules<W>& keys, W* planes) {
  for (std::size_t step = 0; step < keys.num_passes; ++step) {
    const bool encrypt = direction == Direction::encrypt;
    const std::size_t pass = encrypt ? step : keys.num_passes - 1 - step;
    const bool backwards = encrypt == pass_decrypts(keys.num_passes, pass);
    des_pass(
        planes, step,
        [&](std::size_t round) PHALANX_INLINE_LAMBDA {
          return LaneRoundKey<W>{keys.key_planes[pass], round_key_bits.key_bit[backwards ? 15 - round : round]};
        },
        [](std::size_t) {});
  }
}

/// The core (ciphers/block_core.hpp) over lane word W and its transpose.
template <class W, class Transpose, class SerialDes>
struct DesCore {
  static constexpr std::size_t block_bytes = 8;
  static constexpr std::size_t lanes = 8 * sizeof(W);
  static constexpr std::size_t serial_blocks = SerialDes::worth_blocks;
  static constexpr std::size_t key_stack_bytes = 2048;
  static constexpr std::size_t lane_key_stack_bytes = 1024 + 64 * sizeof(W);
  static constexpr bool fetches_ahead = true;
  static constexpr bool stores_last_first = true;
  using Vector = W;
  using Schedule = DesSchedule;
  using LaneSchedules = DesLaneSchedules<W>;

  static void expand_key(const std::uint8_t* key, std::size_t key_bytes, Schedule& schedule) {
    expand_des_key<key_form<W>>(key, key_bytes, schedule);
  }

  template <Direction direction, class Load, class Store>
  static void crypt(const Schedule& schedule, Load load, Store store, Ahead ahead = {}) {
    alignas(64) W planes[64];
    Transpose::to_planes(load, FirstPlanes<direction, W>{schedule, planes});
    des_passes<direction>(schedule, planes, ahead);
    Transpose::from_planes(LastPlanes<direction, W>{schedule, planes}, store);
  }

  /// crypt<encrypt> of the counters from `first` on: they need no transpose.
  template <class Store>
  static void crypt_counters(const Schedule& schedule, std::uint64_t first, Store store, Ahead ahead) {
    constexpr auto encrypt = Direction::encrypt;
    alignas(64) W planes[64];
    make_counter_planes<W, Transpose>(first, FirstPlanes<encrypt, W>{schedule, planes});
    des_passes<encrypt>(schedule, planes, ahead);
    Transpose::from_planes(LastPlanes<encrypt, W>{schedule, planes}, store);
  }

  template <Direction direction>
  static void crypt_block(const Schedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    SerialDes::template crypt_block<direction>(schedule, in, out);
  }

  static constexpr std::size_t key_lanes = lanes;
  /// The planes of the keys' bits are their transpose.
  static void expand_lane_keys(const std::uint8_t* keys, std::size_t key_bytes, std::size_t /*first_lane*/,
                               LaneSchedules& schedules) {
    schedules.num_passes = key_bytes / 8;
    for (std::size_t pass = 0; pass < schedules.num_passes; ++pass) {
      const std::uint8_t* const pass_keys = keys + pass * lanes * 8;
      const auto load = [=](std::size_t i) PHALANX_INLINE_LAMBDA { return W::load(pass_keys + i * sizeof(W)); };
      W* const planes = schedules.key_planes[pass];
      Transpose::to_planes(load, [=](std::size_t n, W plane) PHALANX_INLINE_LAMBDA { planes[n] = plane; });
    }
  }

  template <Direction direction, class Load, class Store>
  static void crypt_lanes(const LaneSchedules& keys, Load load, Store store) {
    alignas(64) W planes[64];
    Transpose::to_planes(load, [&](std::size_t n, W plane) PHALANX_INLINE_LAMBDA { planes[n] = plane; });
    des_lane_passes<direction>(keys, planes);
    const std::size_t flip = keys.num_passes & 1;
    Transpose::from_planes([&](std::size_t n) PHALANX_INLINE_LAMBDA { return planes[n ^ flip]; }, store);
  }
};

}  // namespace
}  // namespace phalanx
