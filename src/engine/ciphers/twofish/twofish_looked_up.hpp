// Twofish's key-dependent S-boxes by look-ups of 64 bytes in registers: four of them go through the whole table of a column,
// whatever the bytes are (TBL and TBX of AArch64). A vector has 16 bytes, and each table is loaded once for two words.
#pragma once

#include "engine/ciphers/twofish/twofish_packed_core.hpp"
#include "engine/ciphers/twofish/twofish_scanned_block.hpp"
#include "engine/ciphers/twofish/twofish_tables.hpp"

namespace phalanx {
namespace {

/// Ones in the bytes of each column.
struct TwofishColumnMasks {
  alignas(16) std::uint8_t of[4][16];

  constexpr TwofishColumnMasks() : of() {
    for (unsigned i = 0; i < 16; ++i) of[i % 4][i] = 0xff;
  }
};
inline constexpr TwofishColumnMasks twofish_column_masks{};

/// The word has look_up_bytes.
template <class W>
struct TwofishLookedUpSchedule {
  static constexpr std::size_t few_groups = 1;
  TwofishKey key;
  alignas(64) std::uint8_t s_box[4][256];  ///< [column]; entries divided by x (twofish_mds_of_divided)

  static void expand(const std::uint8_t* key_bytes, std::size_t num_key_bytes, TwofishLookedUpSchedule& schedule) {
    twofish_expand_key<TwofishNibbles<W>>(key_bytes, num_key_bytes, schedule.key);
    twofish_expand_tables<W>(schedule.key, [&schedule](unsigned column, unsigned first, W y) PHALANX_INLINE_LAMBDA {
      times<twofish_1_by_x>(y).store(schedule.s_box[column] + first);
    });
  }

  template <unsigned factor>
  static PHALANX_INLINE W times(W y) {
    const W nibble = W::broadcast8(0x0f);
    const W high = shift_right32<4>(y) & nibble;
    return shuffle_bytes(W::broadcast128(twofish_products<factor>.of_low), y & nibble) ^
           shuffle_bytes(W::broadcast128(twofish_products<factor>.of_high), high);
  }

  /// g of every 32-bit element, for TwofishFewBlocks: all bytes go through each column's table, and that of their own
  /// counts.
  PHALANX_INLINE W g(W x) const {
    W y = W::zero();
#pragma GCC unroll 1
    for (unsigned column = 0; column < 4; ++column) {
      W found[1] = {x};
      look_up_bytes(s_box[column], found);
      y = y | (found[0] & W::load(twofish_column_masks.of[column]));
    }
    constexpr unsigned by_x = 2;
    const W y_1 = times<by_x>(y);
    const W y_ef = times<twofish_times(by_x, 0xef, twofish_v)>(y);
    const W y_5b = times<twofish_times(by_x, 0x5b, twofish_v)>(y);
    const W first = lut3<0x96>(twofish_from_1.of(y_1), twofish_from_ef.of(y_ef), twofish_from_5b.of(y_5b));
    return lut3<0x96>(first, twofish_from_second_ef.of(y_ef), twofish_from_second_5b.of(y_5b));
  }

  PHALANX_INLINE void h_of_both(W x[4], W y[4]) const {
    W rotated[4] = {y[3], y[0], y[1], y[2]};
#pragma GCC unroll 1
    for (unsigned column = 0; column < 4; ++column) {
      W both[2] = {x[column], rotated[column]};
      look_up_bytes(s_box[column], both);
      x[column] = both[0];
      rotated[column] = both[1];
    }
    twofish_mds_of_divided<TwofishLookedUpSchedule>(x, x);
    twofish_mds_of_divided<TwofishLookedUpSchedule>(rotated, y);
  }
};

}  // namespace
}  // namespace phalanx
