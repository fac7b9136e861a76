// Twofish, one block at a time, by shuffles of 32 bytes: the eight look-ups of a round go through their whole tables
// together, whatever the bytes are (AVX2). twofish_scanned.hpp does the same for many blocks.
//
// A word of 32 bytes has a place for each element of the MDS matrix, for both words that enter g in a round: in its lower
// half columns 0 and 2, in its upper half columns 1 and 3; there eight bytes for each column, four rows of the first word
// and then four of the second. Every place holds the byte that its column looks up.
#pragma once

#include "ciphers/twofish/twofish_block.hpp"

namespace phalanx {
namespace {

/// What stands at each of the 32 places.
struct TwofishPlaces {
  alignas(32) std::uint8_t from[32];        ///< which byte of the two words, as of 16 with both in either half
  alignas(32) std::uint8_t first_only[32];  ///< 0x80 where columns 2 and 3 stand: a shuffle gives zero there
  alignas(32) std::uint8_t second_only[32];
  alignas(32) std::uint8_t is_1[32], is_5b[32], is_ef[32];  ///< the element of the MDS matrix (section 4.2), as masks

  constexpr TwofishPlaces() : from(), first_only(), second_only(), is_1(), is_5b(), is_ef() {
    constexpr unsigned mds[4][4] = {
        {0x01, 0xef, 0x5b, 0x5b}, {0x5b, 0xef, 0xef, 0x01}, {0xef, 0x5b, 0x01, 0xef}, {0xef, 0x01, 0xef, 0x5b}};
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned column = i / 8 % 2 * 2 + i / 16;
      const unsigned word = i / 4 % 2;
      const unsigned element = mds[i % 4][column];
      from[i] = static_cast<std::uint8_t>(4 * word + column);
      first_only[i] = column >= 2 ? 0x80 : 0;
      second_only[i] = column >= 2 ? 0 : 0x80;
      is_1[i] = element == 0x01 ? 0xff : 0;
      is_5b[i] = element == 0x5b ? 0xff : 0;
      is_ef[i] = element == 0xef ? 0xff : 0;
    }
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

  /// g of the low half of x, and of the high half, in the same places.
  PHALANX_INLINE std::uint64_t g(std::uint64_t x) const {
    const W y = look_up(shuffle_bytes(W::broadcast64(x), W::load(twofish_places.from)));
    const W nibble = W::broadcast8(0x0f);
    const W low = y & nibble;
    const W high = shift_right32<4>(y) & nibble;
    const W z = (y & W::load(twofish_places.is_1)) ^ (times<0x5b>(low, high) & W::load(twofish_places.is_5b)) ^
                (times<0xef>(low, high) & W::load(twofish_places.is_ef));
    const auto sum = sum128(z);
    return (sum ^ swap_halves(sum)).first64();
  }
};

}  // namespace
}  // namespace phalanx
