// Twofish for messages with a key each: keyed tables would be another set for every message, so the key-dependent S-boxes
// are followed step by step (the function h, section 4.3.2 of the paper), by look-ups in one table of q0 and q1.
#pragma once

#include "engine/ciphers/twofish/twofish_table_core.hpp"

namespace phalanx {
namespace {

/// Section 4.3.5.
constexpr unsigned twofish_q(unsigned q, unsigned x) {
  const unsigned a = twofish_t[q][0][twofish_mixed_a(x >> 4, x & 15)];
  const unsigned b = twofish_t[q][1][twofish_mixed_b(x >> 4, x & 15)];
  return twofish_t[q][2][twofish_mixed_a(a, b)] | static_cast<unsigned>(twofish_t[q][3][twofish_mixed_b(a, b)]) << 4;
}

/// Entry x: q0(x) in byte 0, q1(x) in byte 1.
struct TwofishQTable {
  std::uint32_t word[256];

  constexpr TwofishQTable() : word() {
    for (unsigned x = 0; x < 256; ++x) word[x] = twofish_q(0, x) | twofish_q(1, x) << 8;
  }
};
inline constexpr TwofishQTable twofish_q_table{};

/// g under the key words L (TwofishKey) by that table.
template <class Tables>
struct TwofishUnkeyedBoxes {
  Tables tables;
  std::uint32_t L[4];
  unsigned num_layers;

  template <unsigned rotated_bytes>
  PHALANX_INLINE std::uint32_t g(std::uint32_t x) const {
    std::uint32_t y = rotated_bytes == 0 ? x : permute_bytes<0x2103>(x, x);
    if (num_layers == 4) y = permute(layer_qs<3>(), y) ^ L[3];
    if (num_layers >= 3) y = permute(layer_qs<2>(), y) ^ L[2];
    y = permute(layer_qs<1>(), y) ^ L[1];
    y = permute(layer_qs<0>(), y) ^ L[0];
    return twofish_mds_packed(permute(LastQ{}, y));
  }

 private:
  template <unsigned q0, unsigned q1, unsigned q2, unsigned q3>
  struct Qs {};
  template <unsigned l>
  static constexpr auto layer_qs() {
    constexpr auto& q = twofish_layer_q[l];
    return Qs<q[0], q[1], q[2], q[3]>{};
  }
  using LastQ = Qs<twofish_last_q[0], twofish_last_q[1], twofish_last_q[2], twofish_last_q[3]>;

  /// One q for each byte of y.
  template <unsigned q0, unsigned q1, unsigned q2, unsigned q3>
  PHALANX_INLINE std::uint32_t permute(Qs<q0, q1, q2, q3> /*qs*/, std::uint32_t y) const {
    const std::uint32_t low =
        permute_bytes<(4 + q1) << 4 | q0>(tables.template look_up<0, 0>(y), tables.template look_up<0, 1>(y));
    const std::uint32_t high =
        permute_bytes<(4 + q3) << 4 | q2>(tables.template look_up<0, 2>(y), tables.template look_up<0, 3>(y));
    return permute_bytes<0x5410>(low, high);
  }
};

}  // namespace
}  // namespace phalanx
