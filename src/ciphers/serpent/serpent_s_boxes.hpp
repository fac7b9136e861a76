// Serpent's S-boxes as numbers (appendix A.5 of the paper), and each output bit of one as two steps of three-input lookups:
// both of its values, for one input's two, as functions of the other three inputs, and the choice between them. That is one
// lookup more than the smallest circuits have, but no circuit has fewer steps.
#pragma once

#include <cstdint>

#include "lanes/inline.hpp"

namespace phalanx {
namespace {

inline constexpr std::uint8_t serpent_s_boxes[8][16] = {
    {3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12},  //
    {15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4},  //
    {8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2},  //
    {0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14},  //
    {1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13},  //
    {15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1},  //
    {7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0},  //
    {1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6},  //
};

/// The table for lut3(x3, x1, x0) of output bit `bit` where x2 has the given value.
constexpr std::uint8_t serpent_bit_table(unsigned box, unsigned bit, unsigned x2) {
  unsigned table = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned input = (i & 3) | x2 << 2 | (i >> 2) << 3;
    table |= (serpent_s_boxes[box][input] >> bit & 1U) << i;
  }
  return static_cast<std::uint8_t>(table);
}

template <unsigned box, unsigned bit, class W>
PHALANX_INLINE W serpent_output_bit(const W x[4]) {
  const W if_set = lut3<serpent_bit_table(box, bit, 1)>(x[3], x[1], x[0]);
  const W if_not = lut3<serpent_bit_table(box, bit, 0)>(x[3], x[1], x[0]);
  return lut3<0xca>(x[2], if_set, if_not);
}

/// The S-box in the fewest steps.
template <unsigned box, class W>
PHALANX_INLINE void serpent_two_step_box(W x[4]) {
  const W y[4] = {serpent_output_bit<box, 0>(x), serpent_output_bit<box, 1>(x), serpent_output_bit<box, 2>(x),
                  serpent_output_bit<box, 3>(x)};
  for (unsigned i = 0; i < 4; ++i) x[i] = y[i];
}

}  // namespace
}  // namespace phalanx
