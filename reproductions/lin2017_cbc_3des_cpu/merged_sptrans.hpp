// Section IV of the paper: two SPtrans tables of 64 words merged into one of 4096, T(x1, x2) = T1(x1) xor T2(x2), addressed
// by both six-bit indices, "cascaded": four look-ups a round in 64 KiB instead of eight in 2 KiB.
//
// The paper does not say which tables go together nor how two indices become one. Here those that lie eight bits apart in
// one word do (1 and 3, 5 and 7, 2 and 4, 6 and 8), since then a shift and a mask move the second index to its place above
// the first.
#pragma once

#include "reproductions/lin2017_cbc_3des_cpu/openssl_style_des.hpp"

namespace papers::lin2017 {

using MergedTable = std::array<std::uint32_t, 4096>;

/// The numbers (from 0) of the boxes in each merged table: first the two that u addresses, then those of t.
inline constexpr unsigned merged_boxes[4][2] = {{0, 2}, {4, 6}, {1, 3}, {5, 7}};

inline std::array<MergedTable, 4> make_merged_tables() {
  std::array<MergedTable, 4> tables;
  for (std::size_t table = 0; table < 4; ++table) {
    const auto [first, second] = merged_boxes[table];
    for (std::size_t index = 0; index < 4096; ++index)
      tables[table][index] = DES_SPtrans[first][index & 0x3f] ^ DES_SPtrans[second][index >> 6];
  }
  return tables;
}

alignas(4096) inline const std::array<MergedTable, 4> merged_tables = make_merged_tables();

/// The first num_merged pairs merged and the others as in the baseline: 4 is the paper's, fewer take less of the L1 cache.
template <std::size_t num_merged>
struct MergedSPtrans {
  static constexpr std::size_t num_bytes = num_merged * sizeof(MergedTable) + (4 - num_merged) * 2 * 64 * 4;

  template <std::size_t table>
  static std::uint32_t look_up_pair(std::uint32_t word) {
    constexpr unsigned low = 2 + 16 * (table % 2);  // of the first index
    if constexpr (table < num_merged) return merged_tables[table][(word >> low & 0x3f) | (word >> (low + 2) & 0xfc0)];
    const auto [first, second] = merged_boxes[table];
    return DES_SPtrans[first][word >> low & 0x3f] ^ DES_SPtrans[second][word >> (low + 8) & 0x3f];
  }

  static std::uint32_t look_up(std::uint32_t u, std::uint32_t t) {
    return look_up_pair<0>(u) ^ look_up_pair<1>(u) ^ look_up_pair<2>(t) ^ look_up_pair<3>(t);
  }
};

}  // namespace papers::lin2017
