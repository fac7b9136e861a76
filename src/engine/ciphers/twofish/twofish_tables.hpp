// Twofish's key-dependent S-boxes as tables in registers: four permutes of 64 bytes each look up 64 bytes, whatever their
// values are, and multiplications are affine maps (AVX-512 VBMI and GFNI).
#pragma once

#include "engine/ciphers/twofish/twofish_packed_core.hpp"
#include "engine/lanes/repeated_shuffle.hpp"

namespace phalanx {
namespace {

/// Multiplication by `factor` as a matrix for affine(): result bit i is the parity of matrix byte 7 - i and the byte.
constexpr std::uint64_t twofish_matrix(unsigned factor) {
  std::uint64_t matrix = 0;
  for (unsigned i = 0; i < 8; ++i) {
    for (unsigned j = 0; j < 8; ++j) {
      const std::uint64_t bit = twofish_times(factor, 1U << j, twofish_v) >> i & 1U;
      matrix |= bit << (8 * (7 - i) + j);
    }
  }
  return matrix;
}

/// Within the four bytes of each word.
using TwofishColumnShuffle = RepeatedShuffle<4>;
/// Where the summands of the four rows of the MDS matrix (section 4.2) come from: times 1, EF and 5B.
inline constexpr TwofishColumnShuffle twofish_from_1({0, 3, 2, 1});
inline constexpr TwofishColumnShuffle twofish_from_ef({1, 1, 0, 0});
inline constexpr TwofishColumnShuffle twofish_from_second_ef({shuffle_no_byte, 2, 3, 2});
inline constexpr TwofishColumnShuffle twofish_from_5b({2, 0, 1, 3});
inline constexpr TwofishColumnShuffle twofish_from_second_5b({3, shuffle_no_byte, shuffle_no_byte, shuffle_no_byte});

template <class W>
struct TwofishTableSchedule {
  static constexpr std::size_t few_groups = 2;
  TwofishKey key;
  alignas(64) std::uint8_t s_box[4][256];  ///< [column]; entries divided by x (twofish_mds_of_divided)

  static void expand(const std::uint8_t* key_bytes, std::size_t num_key_bytes, TwofishTableSchedule& schedule) {
    twofish_expand_key<TwofishNibbles<W>>(key_bytes, num_key_bytes, schedule.key);
    twofish_expand_tables<W>(schedule.key, [&schedule](unsigned column, unsigned first, W y) PHALANX_INLINE_LAMBDA {
      times<twofish_1_by_x>(y).store(schedule.s_box[column] + first);
    });
  }

  /// Permutes see the low six bits of x; its top two bits choose among the four quarters of the table.
  static PHALANX_INLINE W look_up(const std::uint8_t table[256], W x) {
    const std::uint64_t bit7 = top_bits_of_bytes(x);
    const std::uint64_t bit6 = top_bits_of_bytes(shift_left32<1>(x));  // not VPTESTMB: the permutes want its port
    const W low = permute_bytes_where(bit6, W::load(table + 64), x, permute_bytes(W::load(table), x));
    const W high = permute_bytes_where(bit6, W::load(table + 192), x, permute_bytes(W::load(table + 128), x));
    return blend_bytes(bit7, low, high);
  }
  template <unsigned factor>
  static PHALANX_INLINE W times(W y) {
    return affine(y, W::broadcast64(twofish_matrix(factor)));
  }

  /// Bytes whose column has this bit.
  static constexpr std::uint64_t bytes_of_column(unsigned column) { return std::uint64_t{0x1111111111111111} << column; }

  /// The entries at the bytes of x, each byte in the table of its column. A permute sees six bits of a byte: each quarter of
  /// the tables gives entries of its own, and takes the columns one by one, while the other quarters take their turns.
  PHALANX_INLINE W look_up_columns(W x) const {
    // Else the tables of all rounds are read before the first, and those that no register is left for are put on the stack.
    __asm__ volatile("" : : : "memory");
    const std::uint64_t bit_6 = top_bits_of_bytes(shift_left32<1>(x));
    const std::uint64_t bit_7 = top_bits_of_bytes(x);
    W y[4];
#pragma GCC unroll 4
    for (unsigned quarter = 0; quarter < 4; ++quarter) y[quarter] = permute_bytes(W::load(s_box[0] + 64 * quarter), x);
#pragma GCC unroll 3
    for (unsigned column = 1; column < 4; ++column) {
#pragma GCC unroll 4
      for (unsigned quarter = 0; quarter < 4; ++quarter) {
        const W table = W::load(s_box[column] + 64 * quarter);
        y[quarter] = permute_bytes_where(bytes_of_column(column), table, x, y[quarter]);
      }
    }
    return blend_bytes(bit_7, blend_bytes(bit_6, y[0], y[1]), blend_bytes(bit_6, y[2], y[3]));
  }

  /// g of every word.
  PHALANX_INLINE W g(W x) const {
    constexpr unsigned by_x = 2;
    const W y = look_up_columns(x);
    const W y_1 = times<by_x>(y);
    const W y_ef = times<twofish_times(by_x, 0xef, twofish_v)>(y);
    const W y_5b = times<twofish_times(by_x, 0x5b, twofish_v)>(y);
    const W first = lut3<0x96>(twofish_from_1.of(y_1), twofish_from_ef.of(y_ef), twofish_from_5b.of(y_5b));
    return lut3<0x96>(first, twofish_from_second_ef.of(y_ef), twofish_from_second_5b.of(y_5b));
  }

  PHALANX_INLINE void h_of_both(W x[4], W y[4]) const {
    W a[4];
    W b[4];
    for (unsigned column = 0; column < 4; ++column) {
      a[column] = look_up(s_box[column], x[column]);
      b[column] = look_up(s_box[column], y[(column + 3) % 4]);
    }
    twofish_mds_of_divided<TwofishTableSchedule>(a, x);
    twofish_mds_of_divided<TwofishTableSchedule>(b, y);
  }
};

}  // namespace
}  // namespace phalanx
