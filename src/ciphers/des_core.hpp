// DES (FIPS 46-3), double DES and triple DES (SP 800-67), bitsliced: one lane word holds one bit of every block.
//
// The 64 planes of a group lie in memory in the order of the standard's bit numbers. So IP, its inverse, E and P are only
// constants in the addresses, and the L and R of a pass are the same planes as the R and L of the next: IP undoes the inverse
// IP between two passes and what is left is the exchange of halves after round 16. By IP's columns bit i of R is always the
// plane before bit i of L, so either half is a pointer into the same array.
#pragma once

#include "ciphers/des_sbox_two_input_circuits.hpp"
#include "ciphers/des_tables.hpp"
#include "ciphers/direction.hpp"
#include "lanes/counter_planes.hpp"
#include "lanes/lane_word.hpp"

namespace phalanx {
namespace {

inline constexpr std::size_t max_des_passes = 3;

/// One expanded key: 16 round keys for each pass, in the order in which encryption uses them. Decryption is the same rounds
/// backwards, for one, two and three passes alike.
struct alignas(64) DesSchedule {
  std::uint64_t key[max_des_passes];             ///< as given, big-endian
  std::uint64_t num_passes;                      ///< 1, 2 or 3
  std::uint64_t round_key[16 * max_des_passes];  ///< 48 bits each: six for each S-box in a byte, S1 in the lowest
  std::uint64_t bit[16 * max_des_passes][48];    ///< each bit of each round key, spread over 64 lanes
};

/// Two-key and three-key triple DES decrypt in their second pass (SP 800-67 section 3.1), double DES never does.
PHALANX_INLINE bool pass_decrypts(std::size_t num_passes, std::size_t pass) { return num_passes == 3 && pass == 1; }

/// Which of the 16 round keys of the pass's key the given round of that pass uses when encrypting.
PHALANX_INLINE std::size_t key_round(std::size_t num_passes, std::size_t pass, std::size_t round) {
  return pass_decrypts(num_passes, pass) ? 15 - round : round;
}

/// Expands 8 (DES), 16 (double DES, or two-key triple DES: the caller repeats K1) or 24 bytes.
inline void expand_des_key(const std::uint8_t* key, std::size_t key_bytes, DesSchedule& schedule) {
  schedule.num_passes = key_bytes / 8;
  for (std::size_t pass = 0; pass < schedule.num_passes; ++pass) {
    schedule.key[pass] = reverse_bytes(load_u64(key + 8 * pass));
    for (std::size_t round = 0; round < 16; ++round) {
      const std::uint8_t* selection = round_key_bits.key_bit[key_round(schedule.num_passes, pass, round)];
      std::uint64_t round_key = 0;
      for (std::size_t i = 0; i < 48; ++i) {
        const std::uint64_t bit = schedule.key[pass] >> (63 - selection[i]) & 1;
        schedule.bit[16 * pass + round][i] = 0 - bit;
        round_key |= bit << (8 * (i / 6) + 5 - i % 6);
      }
      schedule.round_key[16 * pass + round] = round_key;
    }
  }
}

/// Bit i of the round key in every lane, from a schedule that all lanes share.
template <class W>
struct SharedRoundKey {
  const std::uint64_t* bit;
  PHALANX_INLINE W operator()(std::size_t i) const { return W::broadcast64(bit[i]); }
};

/// The same from a key for each lane: planes of the key's bits, which the key schedule only selects from.
template <class W>
struct LaneRoundKey {
  const W* key_planes;
  const std::uint8_t* selection;
  PHALANX_INLINE W operator()(std::size_t i) const { return key_planes[selection[i]]; }
};

/// Where bit i (from 1) of a half lies, from the pointer to that half.
constexpr std::size_t plane_of(std::size_t i) { return IP[i - 1] - std::size_t{2}; }

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

/// The part of L ^= f(R, K) that goes through one S-box: E, the round key, the box, P.
template <unsigned box, class W, class RoundKey>
PHALANX_INLINE void feistel_box(W* left, const W* right, RoundKey key) {
  constexpr const std::uint8_t* e = E + 6 * box;
  const auto input = [right, key](std::size_t i) PHALANX_INLINE_LAMBDA { return right[plane_of(e[i])] ^ key(6 * box + i); };
  const SBoxOutput<W> s = des_s_box<box>(input(0), input(1), input(2), input(3), input(4), input(5));
  constexpr const std::uint8_t* to = inverse_p.position + 4 * box;
  left[plane_of(to[0])] = left[plane_of(to[0])] ^ s.y1;
  left[plane_of(to[1])] = left[plane_of(to[1])] ^ s.y2;
  left[plane_of(to[2])] = left[plane_of(to[2])] ^ s.y3;
  left[plane_of(to[3])] = left[plane_of(to[3])] ^ s.y4;
}

/// L ^= f(R, K).
template <class W, class RoundKey>
PHALANX_INLINE void feistel(W* left, const W* right, RoundKey key) {
  feistel_box<0>(left, right, key);
  feistel_box<1>(left, right, key);
  feistel_box<2>(left, right, key);
  feistel_box<3>(left, right, key);
  feistel_box<4>(left, right, key);
  feistel_box<5>(left, right, key);
  feistel_box<6>(left, right, key);
  feistel_box<7>(left, right, key);
}

/// One pass of 16 rounds, the first pass being 0; each exchanges the halves of the one before. Rounds come in twos, so that
/// they need no exchange. round_key(round) is the key of round 0..15.
template <class W, class RoundKeys>
PHALANX_INLINE void des_pass(W* planes, std::size_t pass, RoundKeys round_key) {
  W* left = planes + (pass % 2 == 0 ? 1 : 0);  // bit IP[0] = 58, numbered from 1, is plane_of(1) from here
  W* right = planes + (pass % 2 == 0 ? 0 : 1);
#pragma GCC unroll 1
  for (std::size_t round = 0; round < 16; round += 2) {
    feistel(left, right, round_key(round));
    feistel(right, left, round_key(round + 1));
  }
}

/// All passes over the planes of a group. Afterwards planes[i ^ (num_passes & 1)] is bit i + 1 of the output.
template <Direction direction, class W>
__attribute__((noinline)) void des_passes(const DesSchedule& schedule, W* planes) {
  const std::size_t last_round = 16 * schedule.num_passes - 1;
  for (std::size_t pass = 0; pass < schedule.num_passes; ++pass) {
    des_pass(planes, pass, [&](std::size_t round) PHALANX_INLINE_LAMBDA {
      const std::size_t r = 16 * pass + round;
      return SharedRoundKey<W>{schedule.bit[direction == Direction::encrypt ? r : last_round - r]};
    });
  }
}

/// A key for each lane, as planes: plane i holds bit i + 1 of every lane's key.
template <class W>
struct alignas(64) DesLaneSchedules {
  W key_planes[max_des_passes][64];
  std::uint64_t num_passes;
};

template <Direction direction, class W>
__attribute__((noinline)) void des_lane_passes(const DesLaneSchedules<W>& keys, W* planes) {
  for (std::size_t step = 0; step < keys.num_passes; ++step) {
    const bool encrypt = direction == Direction::encrypt;
    const std::size_t pass = encrypt ? step : keys.num_passes - 1 - step;
    const bool backwards = encrypt == pass_decrypts(keys.num_passes, pass);
    des_pass(planes, step, [&](std::size_t round) PHALANX_INLINE_LAMBDA {
      return LaneRoundKey<W>{keys.key_planes[pass], round_key_bits.key_bit[backwards ? 15 - round : round]};
    });
  }
}

/// The core (ciphers/block_core.hpp) over lane word W and its transpose.
template <class W, class Transpose, class SerialDes>
struct DesCore {
  static constexpr std::size_t block_bytes = 8;
  static constexpr std::size_t lanes = 8 * sizeof(W);
  static constexpr std::size_t serial_blocks = SerialDes::worth_blocks;
  using Vector = W;
  using Schedule = DesSchedule;
  using LaneSchedules = DesLaneSchedules<W>;

  static void expand_key(const std::uint8_t* key, std::size_t key_bytes, Schedule& schedule) {
    expand_des_key(key, key_bytes, schedule);
  }

  template <Direction direction, class Load, class Store>
  static void crypt(const Schedule& schedule, Load load, Store store) {
    alignas(64) W planes[64];
    Transpose::to_planes(load, planes);
    des_passes<direction>(schedule, planes);
    Transpose::from_planes(planes, schedule.num_passes & 1, store);
  }

  /// crypt<encrypt> of the counters from `first` on: they need no transpose.
  template <class Store>
  static void crypt_counters(const Schedule& schedule, std::uint64_t first, Store store) {
    alignas(64) W planes[64];
    make_counter_planes<Transpose>(first, planes);
    des_passes<Direction::encrypt>(schedule, planes);
    Transpose::from_planes(planes, schedule.num_passes & 1, store);
  }

  template <Direction direction>
  static void crypt_block(const Schedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    SerialDes::template crypt_block<direction>(schedule, in, out);
  }

  static void set_lane(LaneSchedules& keys, std::size_t lane, const Schedule& schedule) {
    const std::size_t position = Transpose::position(lane);
    const unsigned bit = position % 8;
    keys.num_passes = schedule.num_passes;
    for (std::size_t pass = 0; pass < schedule.num_passes; ++pass) {
      auto* byte = reinterpret_cast<std::uint8_t*>(keys.key_planes[pass]) + position / 8;
      for (std::size_t i = 0; i < 64; ++i, byte += sizeof(W)) {
        const auto key_bit = static_cast<unsigned>(schedule.key[pass] >> (63 - i) & 1);
        *byte = static_cast<std::uint8_t>((*byte & ~(1U << bit)) | key_bit << bit);
      }
    }
  }

  template <Direction direction, class Load, class Store>
  static void crypt_lanes(const LaneSchedules& keys, Load load, Store store) {
    alignas(64) W planes[64];
    Transpose::to_planes(load, planes);
    des_lane_passes<direction>(keys, planes);
    Transpose::from_planes(planes, keys.num_passes & 1, store);
  }
};

}  // namespace
}  // namespace phalanx
