// Twofish over vectors: a 32-bit word of every block lies in 32-bit lanes, four vectors ("rows") to a word, and turns into
// four vectors of bytes only inside g. A group is as many blocks as a vector has bytes.
#pragma once

#include "engine/ciphers/twofish/twofish_nibbles.hpp"
#include "engine/lanes/block_words.hpp"

namespace phalanx {
namespace {

template <class W>
struct TwofishPacked {
  static constexpr std::size_t blocks = sizeof(W);  // in a group
  static constexpr std::size_t blocks_in_row = sizeof(W) / 4;

  struct Word {
    W row[4];
  };

  /// The row and the 32-bit lane of a word in which block `block` of the group lies, and its byte lane inside g.
  static constexpr std::size_t row_of(std::size_t block) { return block / blocks_in_row; }
  static constexpr std::size_t lane_of(std::size_t block) { return lane_of_block<W>(block % blocks_in_row); }
  static constexpr std::size_t byte_lane_of(std::size_t block) {
    const std::size_t lane = lane_of(block);
    if constexpr (sizeof(W) == 64) return 4 * lane + row_of(block);
    return lane / 4 * 16 + 4 * row_of(block) + lane % 4;
  }

  template <class Load>
  static PHALANX_INLINE void load(Load load_vector, std::size_t group, Word x[4]) {
    for (std::size_t row = 0; row < 4; ++row) {
      W w[4];
      load_block_words(load_vector, 4 * group + row, w);
      for (std::size_t i = 0; i < 4; ++i) x[i].row[row] = w[i];
    }
  }
  template <class Store>
  static PHALANX_INLINE void store(Store store_vector, std::size_t group, const Word x[4]) {
    for (std::size_t row = 0; row < 4; ++row) {
      W w[4] = {x[0].row[row], x[1].row[row], x[2].row[row], x[3].row[row]};
      store_block_words(store_vector, 4 * group + row, w);
    }
  }

  /// a and b exchange bytes: a takes those that `mask` names from b, at the places that `index` says, and b the rest from a.
  static PHALANX_INLINE void exchange(std::uint64_t mask, W index, W& a, W& b) {
    const W old = a;
    a = shuffle_bytes_where(mask, b, index, a);
    b = shuffle_bytes_where(~mask, old, index, b);
  }
  /// Four rows of words into their bytes: x[c] becomes byte c of every word. Two words, so that neither waits for itself.
  static PHALANX_INLINE void split_both(W x[4], W y[4]) {
    if constexpr (sizeof(W) == 64) {  // transposes four bytes in each 32-bit lane; its own inverse
      static constexpr std::uint8_t swap16[16] = {2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13};
      static constexpr std::uint8_t swap8[16] = {1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14};
      const W by_two = W::broadcast128(swap16);
      const W by_one = W::broadcast128(swap8);
      W* const both[2] = {x, y};
      for (W* const z : both) {
        exchange(0xccccccccccccccccU, by_two, z[0], z[2]);
        exchange(0xccccccccccccccccU, by_two, z[1], z[3]);
      }
      for (W* const z : both) {
        exchange(0xaaaaaaaaaaaaaaaaU, by_one, z[0], z[1]);
        exchange(0xaaaaaaaaaaaaaaaaU, by_one, z[2], z[3]);
      }
    } else {
      gather_bytes(x);
      gather_bytes(y);
      transpose_dwords(x);
      transpose_dwords(y);
    }
  }
  static PHALANX_INLINE void join_both(W x[4], W y[4]) {
    if constexpr (sizeof(W) == 64) {
      split_both(x, y);
    } else {
      transpose_dwords(x);
      transpose_dwords(y);
      gather_bytes(x);
      gather_bytes(y);
    }
  }
  /// Transposes the 4 x 4 bytes of each 128-bit element.
  static PHALANX_INLINE void gather_bytes(W x[4]) {
    static constexpr std::uint8_t transposed[16] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    const W index = W::broadcast128(transposed);
    for (std::size_t i = 0; i < 4; ++i) x[i] = shuffle_bytes(x[i], index);
  }

  /// Section 4.1: round r of 16, the step'th to be done. keys.K(i, row) is expanded key word i for one row of the group. The
  /// halves of x change places in name only: every other step works on the other half. keys.h_of_both(a, b) is g of section
  /// 4.2 for two words in bytes: h of a, and h of ROL(b, 8), in their places.
  template <Direction direction, class Keys>
  static PHALANX_INLINE void round(const Keys& keys, std::size_t step, Word x[4]) {
    const std::size_t r = direction == Direction::encrypt ? step : 15 - step;
    const std::size_t swapped = step % 2 * 2;
    Word& c = x[2 - swapped];
    Word& d = x[3 - swapped];
    Word t0 = x[swapped];
    Word t1 = x[swapped + 1];
    split_both(t0.row, t1.row);
    keys.h_of_both(t0.row, t1.row);
    join_both(t0.row, t1.row);
    for (std::size_t row = 0; row < 4; ++row) {
      const W sum = add32(t0.row[row], t1.row[row]);
      const W f0 = add32(sum, keys.K(2 * r + 8, row));
      const W f1 = add32(add32(sum, t1.row[row]), keys.K(2 * r + 9, row));
      if constexpr (direction == Direction::encrypt) {
        c.row[row] = rotate_left32<31>(c.row[row] ^ f0);
        d.row[row] = rotate_left32<1>(d.row[row]) ^ f1;
      } else {
        c.row[row] = rotate_left32<1>(c.row[row]) ^ f0;
        d.row[row] = rotate_left32<31>(d.row[row] ^ f1);
      }
    }
  }
  /// Whitening: x ^= K[first], ..., K[first + 3].
  template <class Keys>
  static PHALANX_INLINE void whiten(const Keys& keys, std::size_t first, Word x[4]) {
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t row = 0; row < 4; ++row) x[i].row[row] = x[i].row[row] ^ keys.K(first + i, row);
    }
  }
  /// The last swap of halves undone.
  static PHALANX_INLINE void swap_halves(Word x[4]) {
    for (std::size_t i = 0; i < 2; ++i) {
      const Word old = x[i];
      x[i] = x[i + 2];
      x[i + 2] = old;
    }
  }
};

}  // namespace
}  // namespace phalanx
