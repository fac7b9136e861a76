// The GHASH of the scalar set: its type, and with it the layout of its key, is shared by the cipher kernels.
#pragma once

#include "engine/lanes/word_scalar.hpp"
#include "engine/modes/ghash.hpp"

namespace phalanx {
namespace {

/// Karatsuba's method by integers. A product's high half takes both factors with their bits reversed: the key has them so
/// too, and of a block the sum of its halves is reversed as these are.
struct GhashIntegers : GhashKaratsuba {
  template <std::size_t num>
  struct Powers : GhashKaratsuba::Powers<num> {
    std::uint64_t reversed[num][3];  ///< the low half, the high one, and their sum

    void set(std::size_t i, Block128 value) {
      GhashKaratsuba::Powers<num>::set(i, value);
      reversed[i][0] = reverse_bits(value.half[0]);
      reversed[i][1] = reverse_bits(value.half[1]);
      reversed[i][2] = reversed[i][0] ^ reversed[i][1];
    }
    PHALANX_INLINE GhashProduct<Block128> times(std::size_t first, Block128 a) const {
      const Block128 b = Block128::load(this->power[first]);
      const std::uint64_t b_sum_of_halves = load_u64(this->sum_of_halves[first]);
      const std::uint64_t low = reverse_bits(a.half[0]);
      const std::uint64_t high = reverse_bits(a.half[1]);
      return {carryless_multiply(a.half[0], b.half[0], low, reversed[first][0]),
              carryless_multiply(a.half[0] ^ a.half[1], b_sum_of_halves, low ^ high, reversed[first][2]),
              carryless_multiply(a.half[1], b.half[1], high, reversed[first][1])};
    }
  };
};

/// By integer multiplications, a block at a time.
using GhashScalar = Ghash<Block128, Block128, 1, GhashIntegers>;

}  // namespace
}  // namespace phalanx
