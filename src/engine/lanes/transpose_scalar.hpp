// Blocks of 64 bits to and from 64 planes of one bit, in plain words: a 64 x 64 bit transpose in every 64-bit element.
#pragma once

#include "engine/lanes/word_scalar.hpp"

namespace phalanx {
namespace {

/// Exchanges the bits of a under mask << shift with those of b under mask, in every 64-bit element of a row.
template <class Row>
PHALANX_INLINE void exchange_bits(Row& a, Row& b, unsigned shift, std::uint64_t mask) {
  const Row difference = ((a >> shift) ^ b) & mask;
  b ^= difference;
  a ^= difference << shift;
}

/// Transposes 8 x 8 fields of field_bits bits, across the rows row[0], row[stride], ..., row[7 * stride].
template <unsigned field_bits, std::size_t stride, class Row>
PHALANX_INLINE void transpose_fields(Row* row) {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  constexpr std::uint64_t by_four = all / ((std::uint64_t{1} << 4 * field_bits) + 1);  // runs of 4 fields, every second run
  constexpr std::uint64_t by_two = all / ((std::uint64_t{1} << 2 * field_bits) + 1);
  constexpr std::uint64_t by_one = all / ((std::uint64_t{1} << field_bits) + 1);
  Row a[8];
  for (std::size_t i = 0; i < 8; ++i) a[i] = row[i * stride];
  for (std::size_t i = 0; i < 4; ++i) exchange_bits(a[i], a[i + 4], 4 * field_bits, by_four);
  for (std::size_t i = 0; i < 8; i += 4) {
    exchange_bits(a[i], a[i + 2], 2 * field_bits, by_two);
    exchange_bits(a[i + 1], a[i + 3], 2 * field_bits, by_two);
  }
  for (std::size_t i = 0; i < 8; i += 2) exchange_bits(a[i], a[i + 1], field_bits, by_one);
  for (std::size_t i = 0; i < 8; ++i) row[i * stride] = a[i];
}

/// Transposes every 64 x 64 bit matrix: bytes first, then the bits within them.
template <class Row>
PHALANX_INLINE void transpose_64x64(Row* row) {
  for (std::size_t i = 0; i < 8; ++i) transpose_fields<8, 8>(row + i);
  for (std::size_t i = 0; i < 64; i += 8) transpose_fields<1, 1>(row + i);
}

/// W is a vector of one or more blocks, each in a 64-bit element. Plane n holds bit n of every block, bit 0 the top bit of
/// its first byte.
template <class W>
struct PlainTranspose {
  using Row = decltype(W::bits);
  static constexpr std::size_t blocks_per_vector = sizeof(W) / 8;

  /// Returns the bit of a plane that belongs to block `lane`.
  static constexpr std::size_t position(std::size_t lane) {
    return 64 * (lane % blocks_per_vector) + lane / blocks_per_vector;
  }

  /// Calls load(i) for every vector, put(n, plane) for every plane.
  template <class Load, class Put>
  static PHALANX_INLINE void to_planes(Load load, Put put) {
    Row row[64];
    for (std::size_t i = 0; i < 64; ++i) row[i] = load(i).bits;
    transpose_64x64(row);
    for (std::size_t i = 0; i < 64; ++i) put(i ^ 7, W{row[i]});  // row 8 y + t: bit t of byte y, t = 0 the lowest
  }
  /// Calls get(n) for every plane, store(i, vector) for every vector, the last one first.
  template <class Get, class Store>
  static PHALANX_INLINE void from_planes(Get get, Store store) {
    Row row[64];
    for (std::size_t i = 0; i < 64; ++i) row[i] = get(i ^ 7).bits;
    transpose_64x64(row);
    for (std::size_t i = 64; i-- != 0;) store(i, W{row[i]});
  }
};

}  // namespace
}  // namespace phalanx
