// Counter blocks made as planes, for CTR over a bitsliced 64-bit block: what a transpose of the blocks would give.
#pragma once

#include "lanes/lane_word.hpp"

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

/// Every lane gets the bit.
template <class W>
PHALANX_INLINE W everywhere(std::uint64_t bit) {
  return W::broadcast64(0 - bit);
}

/// Planes of the 64-bit big-endian counters first, first + 1, ..., wrapping at 2^64: plane n holds bit n, the top bit first.
/// A lane's number is added to the low bits of `first` bit by bit; what carries out picks one of two values of the rest.
template <class Transpose, class W>
PHALANX_INLINE void make_counter_planes(std::uint64_t first, W* planes) {
  constexpr unsigned num_bits = LaneNumbers<W, Transpose>::num_bits;
  W carry = everywhere<W>(0);
  for (unsigned k = 0; k < num_bits; ++k) {
    const W a = W::load(lane_numbers<W, Transpose>.number[k]);
    const W b = everywhere<W>(first >> k & 1);
    planes[63 - k] = lut3<0x96>(a, b, carry);  // sum
    carry = lut3<0xe8>(a, b, carry);           // majority
  }
  const std::uint64_t changes = first >> num_bits ^ ((first >> num_bits) + 1);  // which bits the carry turns over
  for (unsigned k = num_bits; k < 64; ++k) {
    const W turned = carry & everywhere<W>(changes >> (k - num_bits) & 1);
    planes[63 - k] = turned ^ everywhere<W>(first >> k & 1);
  }
}

}  // namespace
}  // namespace phalanx
