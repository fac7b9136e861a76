// This computes GHASH (SP 800-38D section 6.4) by products of binary matrices, as the tensor units of a GPU do. To
// multiply by a fixed element is linear over bits: a matrix of 128 rows and columns. A warp hashes 16 streams of blocks
// side by side.
//
// The instruction is mma.sync.m16n8k256 for .b1 with .and.popc (PTX ISA, "Matrix Fragments for mma.m16n8k256"). It
// counts in how many of 256 bits a row and a column are both one. The lowest bit of that count is the product over
// bits. The 16 rows are streams. The 256 bits of each are two blocks, each under a matrix of its own. The columns are
// the bits of the product: 16 tiles of 8, and each product of the instruction gives one tile.
//
// Lane l has word l % 4 of rows l / 4 and l / 4 + 8, as memory has it. It gets columns 2 (l % 4) and 2 (l % 4) + 1 of
// each tile's counts, of the same rows. So columns are in an order in which these are the bits of word l % 4, and the
// output can go in again.
#pragma once

#include "engine/modes/ghash_tables.hpp"

namespace phalanx {
namespace {

inline constexpr unsigned ghash_matrix_rows = 16;
inline constexpr unsigned ghash_matrix_tiles = 16;

PHALANX_INLINE std::uint32_t reverse_bits32(std::uint32_t x) {
#if defined(__CUDA_ARCH__)
  return __brev(x);
#else
  x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
  x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
  x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
  return permute_bytes<0x0123>(x, 0);
#endif
}

/// The high word of high:low shifted to the left by count < 32.
PHALANX_INLINE std::uint32_t shift_left_pair(std::uint32_t high, std::uint32_t low, unsigned count) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_l(low, high, count);
#else
  return count == 0 ? high : high << count | low >> (32 - count);
#endif
}

/// The matrix of an element is made of this sequence: bit k, from the left, is the coefficient of x^127 in the element
/// times x^k.
///
/// Multiplication by x moves an element's coefficients up by one, and adds that of x^127 to those of 1, x, x^2 and x^7.
/// Row o of the matrix has the coefficients of x^o in the products with all x^k. So it is bits 127 - o and on of this
/// sequence, where o is 7 or more.
struct GhashSequence {
  std::uint32_t word[8];

  explicit PHALANX_INLINE GhashSequence(const GhashElement& h) {
    for (unsigned i = 0; i < 4; ++i) word[i] = reverse_bits32(h.word[3 - i]);
    word[3] ^= word[0] >> 25 ^ word[0] >> 30 ^ word[0] >> 31;  // what went below x^7 on the way to x^127
    for (unsigned i = 0; i < 4; ++i) {                         // x^128 is x^7 + x^2 + x + 1
      const std::uint32_t next = word[i + 1];
      word[4 + i] = word[i] ^ shift_left_pair(word[i], next, 1) ^ shift_left_pair(word[i], next, 2) ^
                    shift_left_pair(word[i], next, 7);
    }
  }
  /// Word i, which compilers do not know; 0 where there is none.
  [[nodiscard]] PHALANX_INLINE std::uint32_t at(unsigned i) const {
    std::uint32_t found = 0;
    PHALANX_UNROLL
    for (unsigned j = 0; j < 8; ++j) found = i == j ? word[j] : found;
    return found;
  }
};

/// A lane has this part of the matrix of an element: the bits of column l / 4 of each tile that meet word l % 4 of a
/// row.
struct GhashMatrix {
  std::uint32_t tile[ghash_matrix_tiles];

  PHALANX_INLINE GhashMatrix(const GhashElement& h, unsigned lane) {
    const GhashSequence sequence(h);
    const unsigned word = lane % 4;            // of the row
    const unsigned out = lane / 8;             // word of the product that the column is a bit of
    const bool is_second = lane / 4 % 2 != 0;  // column 2 out + 1 of the tile
    // The column is coefficient 32 out + 8 (2 (t % 2) + is_second) + 7 - t / 2 of the product. The sequence has it from
    // word `begin` on, and eight bits earlier for is_second.
    const unsigned begin = word + 3 - out;
    const std::uint32_t here = sequence.at(begin);
    const std::uint32_t behind = sequence.at(begin + 1);
    const std::uint32_t before = sequence.at(begin - 1);
    const std::uint32_t high = is_second ? shift_left_pair(before, here, 24) : here;
    const std::uint32_t low = is_second ? shift_left_pair(here, behind, 24) : behind;
    PHALANX_UNROLL
    for (unsigned t = 0; t < ghash_matrix_tiles; ++t) {
      tile[t] = permute_bytes<0x0123>(shift_left_pair(high, low, 24 - t % 2 * 16 + t / 2), 0);
    }
    add_below_7(sequence.at(word), sequence.at(word + 1), out == 0 && !is_second);
  }

 private:
  /// Coefficients 6 to 0, which are columns of even tiles: what each of the steps down from 7 adds.
  PHALANX_INLINE void add_below_7(std::uint32_t here, std::uint32_t behind, bool is_asked) {
    const std::uint32_t high = is_asked ? here : 0;
    const std::uint32_t low = is_asked ? behind : 0;
    PHALANX_UNROLL
    for (unsigned below = 1; below < 8; ++below) {
      std::uint32_t added = shift_left_pair(high, low, below - 1);
      if (below == 6) added ^= high;
      if (below == 7) added ^= high ^ shift_left_pair(high, low, 1);
      tile[2 * below] ^= permute_bytes<0x0123>(added, 0);
    }
  }
};

/// A lane has these words of its two rows.
struct GhashRows {
  std::uint32_t word[2];
};

/// Puts the product together from all tiles: product(t, counts) gives the lane's four counts of tile t. A count fits a
/// byte where the two matrices are those of an element and of its square. If a column of both were all ones, it would
/// be the same linear function in both. The element would be its own square, and so 0 or 1, whose columns are not all
/// ones.
template <class Product>
PHALANX_INLINE GhashRows ghash_matrix_product(Product product) {
  GhashRows rows{};
  PHALANX_UNROLL
  for (unsigned pair = ghash_matrix_tiles / 2; pair-- != 0;) {
    std::uint32_t even[4];
    std::uint32_t odd[4];
    product(2 * pair, even);
    product(2 * pair + 1, odd);
    PHALANX_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      const std::uint32_t counts = even[2 * i] + (even[2 * i + 1] << 8) + (odd[2 * i] << 16) + (odd[2 * i + 1] << 24);
      rows.word[i] = rows.word[i] * 2 + (counts & 0x01010101);
    }
  }
  return rows;
}

}  // namespace
}  // namespace phalanx
