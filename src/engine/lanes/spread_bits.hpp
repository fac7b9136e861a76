// Bits of a number as words of 64 equal lanes, for broadcasts from memory: round keys and counters of bitsliced ciphers.
#pragma once

#include "engine/lanes/lane_word.hpp"

namespace phalanx {
namespace {

/// spread[i]: all ones where x has the one bit of mask[i], else 0. No branch; compilers make vectors of it.
template <std::size_t num_bits>
PHALANX_INLINE void spread_bits(std::uint64_t x, const std::uint64_t (&mask)[num_bits], std::uint64_t* spread) {
  for (std::size_t i = 0; i < num_bits; ++i) spread[i] = 0 - static_cast<std::uint64_t>((x & mask[i]) != 0);
}

}  // namespace
}  // namespace phalanx
