// Counter blocks made as planes, for CTR over a bitsliced 64-bit block: what a transpose of the blocks would give.
#pragma once

#include "engine/lanes/spread_bits.hpp"

namespace phalanx {
namespace {

/// number[k]: bit k of every lane's own number, 0 to lanes - 1, where the transpose puts that lane.
template <class W, class Transpose>
struct alignas(64) LaneNumbers {
  static constexpr unsigned num_bits = sizeof(W) == 8    ? 6
                                       : sizeof(W) == 16 ? 7
                                       : sizeof(W) == 32 ? 8
                                                         : 9;  // 8 * sizeof(W) lanes
  std::uint8_t number[num_bits][sizeof(W)];
};

template <class W, class Transpose>
constexpr LaneNumbers<W, Transpose> make_lane_numbers() {
  LaneNumbers<W, Transpose> numbers{};
  for (unsigned lane = 0; lane < 8 * sizeof(W); ++lane) {
    const std::size_t position = Transpose::position(lane);
    for (unsigned k = 0; k < numbers.num_bits; ++k) {
      const unsigned bit = (lane >> k & 1) << (position % 8);
      numbers.number[k][position / 8] = static_cast<std::uint8_t>(numbers.number[k][position / 8] | bit);
    }
  }
  return numbers;
}

template <class W, class Transpose>
inline constexpr LaneNumbers<W, Transpose> lane_numbers = make_lane_numbers<W, Transpose>();

/// Each mask has one bit of a number, bit 63 first, as the planes are ordered.
struct PlaneMasks {
  std::uint64_t bit[64];
};

constexpr PlaneMasks make_plane_masks() {
  PlaneMasks masks{};
  for (unsigned n = 0; n < 64; ++n) masks.bit[n] = std::uint64_t{1} << (63 - n);
  return masks;
}

inline constexpr PlaneMasks plane_masks = make_plane_masks();

/// Planes of the 64-bit big-endian counters first, first + 1, ..., wrapping at 2^64: put(n, plane) for each n, plane n
/// holding bit n, the top bit first. A lane's number is added to the low bits of `first` bit by bit; what carries out turns
/// over some of the rest.
template <class W, class Transpose, class Put>
PHALANX_INLINE void make_counter_planes(std::uint64_t first, Put put) {
  constexpr unsigned num_bits = LaneNumbers<W, Transpose>::num_bits;
  alignas(64) std::uint64_t bit[64];
  alignas(64) std::uint64_t change[64];  // where the carry turns bits over
  spread_bits(first, plane_masks.bit, bit);
  spread_bits(first ^ (((first >> num_bits) + 1) << num_bits), plane_masks.bit, change);
  W carry = W::broadcast64(0);
  for (unsigned k = 0; k < num_bits; ++k) {
    const W a = W::load(lane_numbers<W, Transpose>.number[k]);
    const W b = W::broadcast64(bit[63 - k]);
    put(63 - k, lut3<0x96>(a, b, carry));  // sum
    carry = lut3<0xe8>(a, b, carry);       // majority
  }
  for (unsigned n = 0; n < 64 - num_bits; ++n) {
    put(n, lut3<0x78>(W::broadcast64(bit[n]), W::broadcast64(change[n]), carry));  // bit ^ (change & carry)
  }
}

}  // namespace
}  // namespace phalanx
