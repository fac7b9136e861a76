// 64 blocks of 64 bits to and from 64 planes of one bit, in 64-bit words.
#pragma once

#include "lanes/word_scalar.hpp"

namespace phalanx {
namespace {

/// Exchanges the bits of a under mask << shift with those of b under mask.
PHALANX_INLINE void exchange_bits(std::uint64_t& a, std::uint64_t& b, unsigned shift, std::uint64_t mask) {
  const std::uint64_t difference = ((a >> shift) ^ b) & mask;
  b ^= difference;
  a ^= difference << shift;
}

/// An 8 x 8 transpose of fields of field_bits bits, across the words row[0], row[stride], ..., row[7 * stride].
template <unsigned field_bits, std::size_t stride>
PHALANX_INLINE void transpose_fields(std::uint64_t* row) {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  constexpr std::uint64_t by_four = all / ((std::uint64_t{1} << 4 * field_bits) + 1);  // runs of 4 fields, every second run
  constexpr std::uint64_t by_two = all / ((std::uint64_t{1} << 2 * field_bits) + 1);
  constexpr std::uint64_t by_one = all / ((std::uint64_t{1} << field_bits) + 1);
  std::uint64_t a[8];
  for (std::size_t i = 0; i < 8; ++i) a[i] = row[i * stride];
  for (std::size_t i = 0; i < 4; ++i) exchange_bits(a[i], a[i + 4], 4 * field_bits, by_four);
  for (std::size_t i = 0; i < 8; i += 4) {
    exchange_bits(a[i], a[i + 2], 2 * field_bits, by_two);
    exchange_bits(a[i + 1], a[i + 3], 2 * field_bits, by_two);
  }
  for (std::size_t i = 0; i < 8; i += 2) exchange_bits(a[i], a[i + 1], field_bits, by_one);
  for (std::size_t i = 0; i < 8; ++i) row[i * stride] = a[i];
}

/// The 64 x 64 bit matrix transposed: bytes first, then the bits within them.
PHALANX_INLINE void transpose_64x64(std::uint64_t* row) {
  for (std::size_t i = 0; i < 8; ++i) transpose_fields<8, 8>(row + i);
  for (std::size_t i = 0; i < 64; i += 8) transpose_fields<1, 1>(row + i);
}

/// Blocks are vectors; plane n holds bit n of every block, bit 0 the top bit of its first byte; block j is bit j of a plane.
struct Transpose64 {
  static constexpr std::size_t position(std::size_t lane) { return lane; }

  template <class Load>
  static PHALANX_INLINE void to_planes(Load load, Word64* planes) {
    std::uint64_t row[64];
    for (std::size_t i = 0; i < 64; ++i) row[i] = load(i).bits;
    transpose_64x64(row);
    for (std::size_t i = 0; i < 64; ++i) planes[i ^ 7].bits = row[i];  // row 8 y + t: bit t of byte y, t = 0 the lowest
  }
  /// Reads planes[n ^ flip] as plane n.
  template <class Store>
  static PHALANX_INLINE void from_planes(const Word64* planes, std::size_t flip, Store store) {
    std::uint64_t row[64];
    for (std::size_t i = 0; i < 64; ++i) row[i] = planes[i ^ 7 ^ flip].bits;
    transpose_64x64(row);
    for (std::size_t i = 0; i < 64; ++i) store(i, Word64{row[i]});
  }
};

}  // namespace
}  // namespace phalanx
