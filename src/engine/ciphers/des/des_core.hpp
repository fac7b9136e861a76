// DES (FIPS 46-3), double DES and triple DES (SP 800-67), bitsliced: one lane word holds one bit of every block.
//
// The 64 planes of a group lie in memory in the order of the standard's bit numbers. So IP, its inverse, E and P are only
// constants in the addresses, and the L and R of a pass are the same planes as the R and L of the next: IP undoes the
// inverse IP between two passes and what is left is the exchange of halves after round 16. By IP's columns bit i of R is
// always the plane before bit i of L, so either half is a pointer into the same array.
#pragma once

#include "engine/ciphers/block_core.hpp"
#include "engine/ciphers/des/des_feistel.hpp"
#include "engine/ciphers/des/des_key.hpp"
#include "engine/ciphers/direction.hpp"
#include "engine/lanes/counter_planes.hpp"
#include "engine/lanes/lane_word.hpp"

namespace phalanx {
namespace {

template <class W>
inline constexpr KeyForm key_form = LacksLut3<W> ? KeyForm::plain : KeyForm::folded;

/// The planes of a group in memory: either half is a pointer into the same array.
template <class W>
struct DesPlanesInMemory {
  using Word = W;
  static constexpr bool pairs_boxes = !LacksLut3<W>;  // AVX-512, which has 32 registers
  static constexpr std::size_t place(std::size_t i) { return plane_of(i); }

  W* planes;
  std::size_t exchanged = 0;  // 0 or 1

  /// Bit IP[0] = 58, numbered from 1, is plane_of(1) of L.
  PHALANX_INLINE W* left() const { return planes + 1 - exchanged; }
  PHALANX_INLINE W* right() const { return planes + exchanged; }
  PHALANX_INLINE void exchange() { exchanged ^= 1; }
};

/// The key of a round from a schedule that all lanes share.
template <class W>
struct SharedRoundKey {
  const std::uint64_t* bit;

  template <unsigned b>
  struct BoxKey {
    const std::uint64_t* bit;

    template <unsigned i>
    PHALANX_INLINE W input(W r) const {
      if constexpr (key_form<W> == KeyForm::folded && i >= 2) return r;
      return r ^ W::broadcast64(bit[6 * b + i]);
    }
    template <unsigned k>
    PHALANX_INLINE W update(W l, W s) const {
      if constexpr (key_form<W> == KeyForm::plain) return l ^ s;
      constexpr std::size_t use = folded_use_of(inverse_p.position[4 * b + k]);
      return lut3<0x96>(s, l, W::broadcast64(bit[use]));
    }
  };
  template <unsigned b>
  PHALANX_INLINE BoxKey<b> box() const {
    return {bit};
  }
};

/// The same from a key for each lane: planes of the key's bits, which the key schedule only selects from.
template <class W>
struct LaneRoundKey {
  const W* key_planes;
  const std::uint8_t* selection;

  template <unsigned b>
  struct BoxKey {
    const W* key_planes;
    const std::uint8_t* selection;

    template <unsigned i>
    PHALANX_INLINE W input(W r) const {
      return r ^ key_planes[selection[6 * b + i]];
    }
    template <unsigned k>
    PHALANX_INLINE W update(W l, W s) const {
      return l ^ s;
    }
  };
  template <unsigned b>
  PHALANX_INLINE BoxKey<b> box() const {
    return {key_planes, selection};
  }
};

/// The keys of two rounds.
template <class RoundKey>
struct TwoRoundKeys {
  RoundKey first;
  RoundKey second;

  template <unsigned j>
  PHALANX_INLINE RoundKey of() const {
    return j == 0 ? first : second;
  }
};

/// The keys of a schedule that all lanes share. The planes come from FirstPlanes and leave by LastPlanes, which add the
/// outer edges.
template <Direction direction, class W>
struct SharedDesKeys {
  static constexpr unsigned rounds_at_once = 2;
  const DesSchedule& schedule;
  PrefetchHint ahead;

  PHALANX_INLINE void begin_pass(unsigned pass, W* right) const {
    if (key_form<W> == KeyForm::plain || pass == 0) return;
    const std::uint64_t* edge = schedule.edge[direction == Direction::encrypt ? pass : schedule.num_passes - pass];
    for (std::size_t m = 0; m < 32; ++m) right[2 * m] = right[2 * m] ^ W::broadcast64(edge[m]);
  }
  PHALANX_INLINE TwoRoundKeys<SharedRoundKey<W>> rounds(unsigned pass, unsigned round) const {
    constexpr bool encrypts = direction == Direction::encrypt;
    const std::size_t r = std::size_t{16} * pass + round;
    const auto* const bit = schedule.bit[encrypts ? r : 16 * schedule.num_passes - 1 - r];
    return {{bit}, {encrypts ? bit + 48 : bit - 48}};
  }
  PHALANX_INLINE void end_rounds(unsigned pass, unsigned round) const {
    constexpr std::size_t num_bytes = 64 * sizeof(W) / 8;  // of the group, in each of 8 double rounds of the first pass
    if (pass == 0) ahead.fetch(round / 2 * num_bytes, num_bytes);
  }
  PHALANX_INLINE void end_passes(W* /*right*/) const {}
};

/// All passes over the planes of a group.
template <Direction direction, class W>
__attribute__((noinline)) void crypt_planes(const DesSchedule& schedule, W* planes, PrefetchHint ahead) {
  DesPlanesInMemory<W> halves{planes};
  des_passes(halves, static_cast<unsigned>(schedule.num_passes), SharedDesKeys<direction, W>{schedule, ahead});
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
struct LaneDesKeys {
  static constexpr unsigned rounds_at_once = 2;
  const DesLaneSchedules<W>& keys;

  PHALANX_INLINE void begin_pass(unsigned /*pass*/, W* /*right*/) const {}
  PHALANX_INLINE TwoRoundKeys<LaneRoundKey<W>> rounds(unsigned step, unsigned round) const {
    const bool encrypts = direction == Direction::encrypt;
    const std::size_t pass = encrypts ? step : keys.num_passes - 1 - step;
    const bool backwards = encrypts == pass_decrypts(keys.num_passes, pass);
    const auto key_of = [&](std::size_t r) PHALANX_INLINE_LAMBDA {
      return LaneRoundKey<W>{keys.key_planes[pass], round_key_bits.key_bit[backwards ? 15 - r : r]};
    };
    return {key_of(round), key_of(round + 1)};
  }
  PHALANX_INLINE void end_rounds(unsigned /*pass*/, unsigned /*round*/) const {}
  PHALANX_INLINE void end_passes(W* /*right*/) const {}
};

template <Direction direction, class W>
__attribute__((noinline)) void crypt_planes(const DesLaneSchedules<W>& keys, W* planes) {
  DesPlanesInMemory<W> halves{planes};
  des_passes(halves, static_cast<unsigned>(keys.num_passes), LaneDesKeys<direction, W>{keys});
}

/// The core (engine/ciphers/block_core.hpp) over lane word W and its transpose.
template <class W, class Transpose, class SerialDes>
struct DesCore {
  static constexpr std::size_t block_bytes = 8;
  static constexpr std::size_t lanes = 8 * sizeof(W);
  static constexpr std::size_t serial_blocks = 1;
  static constexpr std::size_t serial_messages = SerialDes::worth_messages;
  static constexpr std::size_t key_stack_bytes = 2048;
  static constexpr std::size_t lane_key_stack_bytes = 1024 + 64 * sizeof(W);
  static constexpr std::size_t round_stack_bytes = 0;
  static constexpr std::size_t lane_round_stack_bytes = 0;
  static constexpr std::size_t clean_blocks = 0;
  static constexpr SetsLanes sets_lanes = SetsLanes::never;
  static constexpr bool stores_last_first = true;
  static constexpr Fetches fetches = Fetches::ahead;
  static constexpr int num_steps_beside = 0;
  using Vector = W;
  using Schedule = DesSchedule;
  using LaneSchedules = DesLaneSchedules<W>;

  static void expand_key(const std::uint8_t* key, std::size_t key_bytes, Schedule& schedule) {
    expand_des_key<key_form<W>>(key, key_bytes, schedule);
  }

  template <Direction direction, class Load, class Store>
  static void crypt(const Schedule& schedule, Load load, Store store, PrefetchHint ahead = {}) {
    alignas(64) W planes[64];
    Transpose::to_planes(load, FirstPlanes<direction, W>{schedule, planes});
    crypt_planes<direction>(schedule, planes, ahead);
    Transpose::from_planes(LastPlanes<direction, W>{schedule, planes}, store);
  }

  /// crypt<encrypt> of the counters from `first` on: they need no transpose.
  template <class Store>
  static void crypt_counters(const Schedule& schedule, std::uint64_t first, Store store, PrefetchHint ahead) {
    constexpr auto encrypt = Direction::encrypt;
    alignas(64) W planes[64];
    make_counter_planes<W, Transpose>(first, FirstPlanes<encrypt, W>{schedule, planes});
    crypt_planes<encrypt>(schedule, planes, ahead);
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
    crypt_planes<direction>(keys, planes);
    const std::size_t flip = keys.num_passes & 1;
    Transpose::from_planes([&](std::size_t n) PHALANX_INLINE_LAMBDA { return planes[n ^ flip]; }, store);
  }
};

}  // namespace
}  // namespace phalanx
