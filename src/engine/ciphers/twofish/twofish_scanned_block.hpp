// Twofish's g for a few words by shuffles of 32 bytes: the look-ups of all of them go through the whole tables together,
// whatever the bytes are (AVX2). twofish_scanned.hpp does the same for many blocks.
//
// Eight words enter and leave as 32-bit elements. Between, a word of 32 bytes has columns 0 and 2 (section 4.2) in its lower
// half and columns 1 and 3 in its upper one, eight bytes for each: one for each of the words.
#pragma once

#include "engine/ciphers/twofish/twofish_nibbles.hpp"

namespace phalanx {
namespace {

/// Shuffles within either half, from what stands there and from what stands in the other one.
struct TwofishPlaces {
  alignas(32) std::uint8_t own_columns[32], other_columns[32];  ///< from words to columns
  alignas(32) std::uint8_t own_words[32], other_words[32];      ///< and back
  alignas(32) std::uint8_t first_only[32];  ///< 0x80 where columns 2 and 3 stand: a shuffle gives zero there
  alignas(32) std::uint8_t second_only[32];

  constexpr TwofishPlaces() : own_columns(), other_columns(), own_words(), other_words(), first_only(), second_only() {
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned half = i / 16;
      const bool second = i / 8 % 2 != 0;
      first_only[i] = second ? 0x80 : 0;
      second_only[i] = second ? 0 : 0x80;
      const unsigned column = 2 * (second ? 1 : 0) + half;
      place(own_columns[i], other_columns[i], i % 8 / 4 == half, 4 * (i % 4) + column);
      place(own_words[i], other_words[i], i % 2 == half, i % 4 / 2 * 8 + 4 * half + i / 4 % 4);
    }
  }
  static constexpr void place(std::uint8_t& own, std::uint8_t& other, bool is_own, unsigned from) {
    own = static_cast<std::uint8_t>(is_own ? from : 0x80);
    other = static_cast<std::uint8_t>(is_own ? 0x80 : from);
  }
};
inline constexpr TwofishPlaces twofish_places{};

/// A constant times every byte, by halves.
struct TwofishNibbleProducts {
  std::uint8_t of_low[16], of_high[16];

  constexpr explicit TwofishNibbleProducts(unsigned factor) : of_low(), of_high() {
    for (unsigned x = 0; x < 16; ++x) {
      of_low[x] = twofish_times(factor, x, twofish_v);
      of_high[x] = twofish_times(factor, 16 * x, twofish_v);
    }
  }
};
template <unsigned factor>
inline constexpr TwofishNibbleProducts twofish_products{factor};

/// The key-dependent S-boxes as rows of 16 entries, those of two columns side by side.
template <class W>
struct TwofishScannedBoxes {
  /// [row][columns 0 and 1, or 2 and 3][the row itself, or its difference from the one eight further on]
  alignas(64) std::uint8_t rows[8][2][2][32];

  /// `table` has the S-box of each column.
  void set(const std::uint8_t table[4][256]) {
    for (unsigned row = 0; row < 8; ++row) {
      for (unsigned column = 0; column < 4; ++column) {
        auto& place = rows[row][column / 2];
        const Pair64 entries = load_pair(table[column] + 16 * row);
        store_pair(place[0] + column % 2 * 16, entries);
        store_pair(place[1] + column % 2 * 16, entries ^ load_pair(table[column] + 16 * (row + 8)));
      }
    }
  }

  /// The entries at the bytes of x. Bit 7 picks by indices that give zero, the others by what they choose of two rows.
  PHALANX_INLINE W look_up(W x) const {
    const W low = x & W::broadcast8(0x0f);
    const W low_if_high = low | and_not(W::broadcast8(0x80), x);  // only where bit 7 is set
    const W first = W::load(twofish_places.first_only);
    const W second = W::load(twofish_places.second_only);
    const W index[2][2] = {{low | first, low_if_high | first}, {low | second, low_if_high | second}};
    __asm__ volatile("" : : : "memory");  // else rows are read before the loop over the rounds and put aside on the stack
    W y[8];
#pragma GCC unroll 8
    for (std::size_t row = 0; row < 8; ++row) {
      const auto& r = rows[row];
      y[row] = (shuffle_bytes(W::load(r[0][0]), index[0][0]) ^ shuffle_bytes(W::load(r[0][1]), index[0][1])) ^
               (shuffle_bytes(W::load(r[1][0]), index[1][0]) ^ shuffle_bytes(W::load(r[1][1]), index[1][1]));
    }
    const W bit_6 = shift_left32<1>(x);
    for (std::size_t row = 0; row < 4; ++row) y[row] = choose_by_top_bits(bit_6, y[row + 4], y[row]);
    const W bit_5 = shift_left32<2>(x);
    for (std::size_t row = 0; row < 2; ++row) y[row] = choose_by_top_bits(bit_5, y[row + 2], y[row]);
    return choose_by_top_bits(shift_left32<3>(x), y[1], y[0]);
  }

  template <unsigned factor>
  static PHALANX_INLINE W times(W low, W high) {
    return shuffle_bytes(W::broadcast128(twofish_products<factor>.of_low), low) ^
           shuffle_bytes(W::broadcast128(twofish_products<factor>.of_high), high);
  }
  /// In either half, what `own` says of v and what `other` says of the other half's `crossed`.
  static PHALANX_INLINE W collect(W v, const std::uint8_t own[32], W crossed, const std::uint8_t other[32]) {
    return shuffle_bytes(v, W::load(own)) | shuffle_bytes(crossed, W::load(other));
  }

  /// g of every 32-bit element. The MDS matrix takes every column to four rows, which stand where the columns of the same
  /// number do: its own place, the other one of its half, and the two of the other half.
  PHALANX_INLINE W g(W x) const {
    const W y = look_up(collect(x, twofish_places.own_columns, swap128(x), twofish_places.other_columns));
    const W nibble = W::broadcast8(0x0f);
    const W low = y & nibble;
    const W high = shift_right32<4>(y) & nibble;
    const W y_5b = times<0x5b>(low, high);
    const W y_ef = times<0xef>(low, high);
    constexpr int column_0 = 0x03;
    constexpr int column_2 = 0x0c;
    constexpr int column_1 = 0x30;
    constexpr int column_3 = 0xc0;
    const W to_own = blend32<column_3>(blend32<column_1>(y, y_ef), y_5b);
    const W to_neighbour = blend32<column_2>(blend32<column_0>(y, y_ef), y_5b);
    const W to_crossed = blend32<column_0>(y_ef, y_5b);
    const W to_crossed_neighbour = blend32<column_1 | column_3>(y_ef, y_5b);
    const W own = to_own ^ swap_halves(to_neighbour);
    const W crossed = to_crossed ^ swap_halves(to_crossed_neighbour);
    return collect(own ^ swap128(crossed), twofish_places.own_words, swap128(own) ^ crossed, twofish_places.other_words);
  }
};

}  // namespace
}  // namespace phalanx
