// Twofish's key-dependent S-boxes by shuffles of 16 bytes: a look-up goes through a whole table, whatever the byte is (AVX2,
// which can permute no more than 16 bytes by an index).
//
// A table lies in rows of 16 entries, each but the first of either half as the difference from the row before. Row h is
// added where the byte is 16 h or more (a shuffle gives 0 where bit 7 of its index is set, hence for negative numbers), and
// the differences up to the byte's own row add up to that row.
#pragma once

#include "engine/ciphers/twofish/twofish_packed_core.hpp"
#include "engine/ciphers/twofish/twofish_scanned_block.hpp"

namespace phalanx {
namespace {

template <class W>
struct TwofishScannedSchedule {
  static constexpr std::size_t few_groups = 4;
  TwofishKey key;
  TwofishScannedBoxes<W> block;
  alignas(64) std::uint8_t rows[4][16][16];  ///< [column][high half of the byte][low half]; of entries divided by x

  static void expand(const std::uint8_t* key_bytes, std::size_t num_key_bytes, TwofishScannedSchedule& schedule) {
    twofish_expand_key<TwofishNibbles<W>>(key_bytes, num_key_bytes, schedule.key);
    alignas(64) std::uint8_t table[4][256];
    twofish_expand_tables<W>(schedule.key, [&table](unsigned column, unsigned first, W y)
                                               PHALANX_INLINE_LAMBDA { y.store(table[column] + first); });
    schedule.block.set(table);
    for (auto& box : table) {
      for (std::size_t i = 0; i < sizeof box; i += sizeof(W)) times<twofish_1_by_x>(W::load(box + i)).store(box + i);
    }
    for (unsigned column = 0; column < 4; ++column) {
      for (unsigned row = 0; row < 16; ++row) {
        const Pair64 entries = load_pair(table[column] + 16 * row);
        const bool first = row % 8 == 0;
        store_pair(schedule.rows[column][row], first ? entries : entries ^ load_pair(table[column] + 16 * (row - 1)));
      }
    }
    wipe(table, sizeof table);
  }

  /// g of every 32-bit element, for TwofishFewBlocks.
  PHALANX_INLINE W g(W x) const { return block.g(x); }

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
