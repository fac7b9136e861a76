// Twofish's key-dependent S-boxes by shuffles of 16 bytes: a look-up goes through a whole table, whatever the byte is (AVX2,
// which can permute no more than 16 bytes by an index).
//
// A table lies in rows of 16 entries, each but the first of either half as the difference from the row before. Row h is
// added where the byte is 16 h or more (a shuffle gives 0 where bit 7 of its index is set, hence for negative numbers), and
// the differences up to the byte's own row add up to that row.
#pragma once

#include "ciphers/twofish/twofish_packed_core.hpp"

namespace phalanx {
namespace {

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

template <class W>
struct TwofishScannedSchedule {
  TwofishKey key;
  TwofishBlockKeys block;
  alignas(64) std::uint8_t rows[4][16][16];  ///< [column][high half of the byte][low half]; of entries divided by x

  static void expand(const std::uint8_t* key_bytes, std::size_t num_key_bytes, TwofishScannedSchedule& schedule) {
    twofish_expand_key<TwofishNibbles<W>>(key_bytes, num_key_bytes, schedule.key);
    schedule.block.expand(schedule.key);
    alignas(64) std::uint8_t table[4][256];
    twofish_expand_tables<W>(schedule.key, [&table](unsigned column, unsigned first, W y) PHALANX_INLINE_LAMBDA {
      times<twofish_1_by_x>(y).store(table[column] + first);
    });
    for (unsigned column = 0; column < 4; ++column) {
      for (unsigned row = 0; row < 16; ++row) {
        const Pair64 entries = load_pair(table[column] + 16 * row);
        const bool first = row % 8 == 0;
        store_pair(schedule.rows[column][row], first ? entries : entries ^ load_pair(table[column] + 16 * (row - 1)));
      }
    }
    wipe(table, sizeof table);
  }

  /// Both bytes of each lane through one table.
  static PHALANX_INLINE void look_up_both(const std::uint8_t table[16][16], W& x, W& y) {
    const W sixteen = W::broadcast8(16);
    W sum_x = W::zero();
    W sum_y = W::zero();
    for (unsigned half = 0; half <= 128; half += 128) {
      W left_x = x ^ W::broadcast8(static_cast<std::uint8_t>(half));  // the other half is negative, and stays so
      W left_y = y ^ W::broadcast8(static_cast<std::uint8_t>(half));
#pragma GCC unroll 8
      for (unsigned row = 0; row < 8; ++row) {
        const W entries = W::broadcast128(table[half / 16 + row]);
        sum_x = apart(sum_x ^ shuffle_bytes(entries, left_x));
        sum_y = apart(sum_y ^ shuffle_bytes(entries, left_y));
        left_x = subtract_saturated8(left_x, sixteen);
        left_y = subtract_saturated8(left_y, sixteen);
      }
    }
    x = sum_x;
    y = sum_y;
  }

  template <unsigned factor>
  static PHALANX_INLINE W times(W y) {
    const W nibble = W::broadcast8(0x0f);
    const W high = shift_right32<4>(y) & nibble;
    return shuffle_bytes(W::broadcast128(twofish_products<factor>.of_low), y & nibble) ^
           shuffle_bytes(W::broadcast128(twofish_products<factor>.of_high), high);
  }

  PHALANX_INLINE void h_of_both(W x[4], W y[4]) const {
    W rotated[4] = {y[3], y[0], y[1], y[2]};
#pragma GCC unroll 1
    for (unsigned column = 0; column < 4; ++column) look_up_both(rows[column], x[column], rotated[column]);
    twofish_mds_of_divided<TwofishScannedSchedule>(x, x);
    twofish_mds_of_divided<TwofishScannedSchedule>(rotated, y);
  }
};

}  // namespace
}  // namespace phalanx
