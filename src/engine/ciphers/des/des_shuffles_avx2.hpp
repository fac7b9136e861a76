// DesLookUps (des_shuffled.hpp) by shuffles within 16 bytes, which have two halves of four boxes each: a table is four rows
// of 16 entries, and bits 5 and 4 of a byte pick one.
#pragma once

#include "engine/ciphers/des/des_shuffled_tables.hpp"
#include "engine/lanes/repeated_shuffle.hpp"
#include "engine/lanes/word_avx2.hpp"

namespace phalanx {
namespace {

/// Boxes 0 to 3 look up in the lower half of a word, boxes 4 to 7 in the upper one.
constexpr unsigned des_boxes_in_half = 4;

/// [row][box modulo 4][16 entries of the lower box, 16 of the upper one]
struct DesTableRows {
  alignas(32) std::uint8_t row[4][des_boxes_in_half][32];

  constexpr explicit DesTableRows(const DesByteTables& tables) : row() {
    for (unsigned box = 0; box < num_des_boxes; ++box) {
      for (unsigned x = 0; x < 64; ++x) {
        row[x / 16][box % des_boxes_in_half][box / des_boxes_in_half * 16 + x % 16] = tables.of[box][x];
      }
    }
  }
};

/// P and E in seven shuffles: a box has no more than three sources in its own half, and no more than four in the other.
struct DesBoxMoves {
  static constexpr unsigned num_within = 3;
  static constexpr unsigned num_across = 4;
  alignas(32) std::uint8_t from[num_within + num_across][32];
  alignas(32) std::uint8_t bit[num_within + num_across][32];

  constexpr DesBoxMoves() : from(), bit() {
    for (auto& indices : from) {
      for (auto& index : indices) index = shuffle_no_byte;
    }
    for (unsigned box = 0; box < num_des_boxes; ++box) {
      unsigned within = 0;
      unsigned across = num_within;
      for (unsigned i = 0; i < num_des_inputs; ++i) {
        const unsigned source = des_sources.box[box][i];
        const bool same_half = source / des_boxes_in_half == box / des_boxes_in_half;
        const unsigned move = same_half ? within++ : across++;
        for (unsigned b = 0; b < 4; ++b) {
          from[move][4 * box + b] = static_cast<std::uint8_t>(4 * (source % des_boxes_in_half) + b);
          bit[move][4 * box + b] = static_cast<std::uint8_t>(1U << i);
        }
      }
    }
  }
};

struct DesPlacesAvx2 {
  alignas(32) std::uint8_t not_of[des_boxes_in_half][32];  ///< shuffle_no_byte but for this box of either half
  alignas(16) std::uint8_t transpose[16];                  ///< four bytes of each block to four blocks of each byte
  alignas(32) std::uint32_t apart[8];                      ///< the blocks' lower halves to the lower half of the word
  alignas(32) std::uint32_t together[8];

  constexpr DesPlacesAvx2() : not_of(), transpose(), apart(), together() {
    for (unsigned i = 0; i < 32; ++i) {
      for (unsigned box = 0; box < des_boxes_in_half; ++box) not_of[box][i] = i / 4 % 4 == box ? 0 : shuffle_no_byte;
    }
    for (unsigned i = 0; i < 16; ++i) transpose[i] = static_cast<std::uint8_t>(i % 4 * 4 + i / 4);
    for (unsigned i = 0; i < 8; ++i) {
      apart[i] = i % 4 * 2 + i / 4;
      together[apart[i]] = i;
    }
  }
};

template <>
struct DesLookUps<Word256> {
  using W = Word256;
  static constexpr DesTableRows substitution{des_substitution};
  static constexpr DesTableRows placing{des_placing};
  static constexpr DesTableRows gathering{des_gathering};
  static constexpr DesBoxMoves moves{};
  static constexpr DesPlacesAvx2 places{};

  /// The 8 x 8 bits of each block transposed.
  static PHALANX_INLINE W transpose_bits(W blocks) {
    blocks = exchange_bits(blocks, 7, 0x00aa00aa00aa00aa);
    blocks = exchange_bits(blocks, 14, 0x0000cccc0000cccc);
    return exchange_bits(blocks, 28, 0x00000000f0f0f0f0);
  }
  /// The bits of the mask, and those `distance` above them, exchanged.
  static PHALANX_INLINE W exchange_bits(W v, unsigned distance, std::uint64_t mask) {
    const W count = W::broadcast64(distance);
    const W difference = (v ^ shift_right_each64(v, count)) & W::broadcast64(mask);
    return v ^ difference ^ shift_left_each64(difference, count);
  }

  /// Between the boxes of each block and each box of the blocks.
  static PHALANX_INLINE W to_boxes(W v) {
    return shuffle_bytes(permute32(v, W::load(places.apart)), W::broadcast128(places.transpose));
  }
  static PHALANX_INLINE W from_boxes(W v) {
    return permute32(shuffle_bytes(v, W::broadcast128(places.transpose)), W::load(places.together));
  }

  /// The low (high) half of a, then that of b.
  static PHALANX_INLINE W join_low_halves(W a, W b) { return unpack_low128(a, b); }
  static PHALANX_INLINE W join_high_halves(W a, W b) { return unpack_high128(a, b); }

  static PHALANX_INLINE W key_of_boxes(const std::uint32_t box_key[num_des_boxes]) { return W::load(box_key); }

  static PHALANX_INLINE W choose_row(W x, W row_0, W row_1, W row_2, W row_3) {
    const W bit_4 = shift_left32<3>(x);
    return choose_by_top_bits(shift_left32<2>(x), choose_by_top_bits(bit_4, row_3, row_2),
                              choose_by_top_bits(bit_4, row_1, row_0));
  }
  /// Every byte in the table of its own box.
  static PHALANX_INLINE W look_up(const DesTableRows& tables, W x) {
    W y[4];
    for (unsigned box = 0; box < des_boxes_in_half; ++box) {
      const W index = x | W::load(places.not_of[box]);
      for (unsigned row = 0; row < 4; ++row) {
        const W entries = shuffle_bytes(W::load(tables.row[row][box]), index);
        y[row] = box == 0 ? entries : apart(y[row] | entries);
      }
    }
    return choose_row(x, y[0], y[1], y[2], y[3]);
  }
  /// Every byte in the same table.
  static PHALANX_INLINE W look_up_box(const std::uint8_t table[64], W x) {
    const auto row = [=](unsigned i) PHALANX_INLINE_LAMBDA { return shuffle_bytes(W::broadcast128(table + 16 * i), x); };
    return choose_row(x, row(0), row(1), row(2), row(3));
  }

  static PHALANX_INLINE W permute_and_expand(W y) {
    const W other = swap128(y);
    W f = W::zero();
    for (unsigned move = 0; move < DesBoxMoves::num_within + DesBoxMoves::num_across; ++move) {
      const W from = move < DesBoxMoves::num_within ? y : other;
      f = f | (shuffle_bytes(from, W::load(moves.from[move])) & W::load(moves.bit[move]));
    }
    return f;
  }
  /// Bit i of every byte from y[i].
  static PHALANX_INLINE W join_bits(const W y[num_des_inputs]) {
    const auto bit = [=](unsigned i)
                         PHALANX_INLINE_LAMBDA { return y[i] & W::broadcast8(static_cast<std::uint8_t>(1U << i)); };
    return ((bit(0) | bit(1)) | (bit(2) | bit(3))) | (bit(4) | bit(5));
  }
};

}  // namespace
}  // namespace phalanx
