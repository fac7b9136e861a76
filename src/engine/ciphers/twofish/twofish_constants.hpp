// What Twofish is made of: B. Schneier, J. Kelsey, D. Whiting, D. Wagner, C. Hall, N. Ferguson, "Twofish: A 128-Bit Block
// Cipher", 1998. Everything here is public and known when the program is compiled.
#pragma once

#include "engine/lanes/lane_word.hpp"

namespace phalanx {
namespace {

/// Section 4.3.5: the four-bit boxes t0 to t3 of the permutations q0 and q1.
inline constexpr std::uint8_t twofish_t[2][4][16] = {
    {{0x8, 0x1, 0x7, 0xd, 0x6, 0xf, 0x3, 0x2, 0x0, 0xb, 0x5, 0x9, 0xe, 0xc, 0xa, 0x4},
     {0xe, 0xc, 0xb, 0x8, 0x1, 0x2, 0x3, 0x5, 0xf, 0x4, 0xa, 0x6, 0x7, 0x0, 0x9, 0xd},
     {0xb, 0xa, 0x5, 0xe, 0x6, 0xd, 0x9, 0x0, 0xc, 0x8, 0xf, 0x3, 0x2, 0x4, 0x7, 0x1},
     {0xd, 0x7, 0xf, 0x4, 0x1, 0x2, 0x6, 0xe, 0x9, 0xb, 0x3, 0x0, 0x8, 0x5, 0xc, 0xa}},
    {{0x2, 0x8, 0xb, 0xd, 0xf, 0x7, 0x6, 0xe, 0x3, 0x1, 0x9, 0x4, 0x0, 0xa, 0xc, 0x5},
     {0x1, 0xe, 0x2, 0xb, 0x4, 0xc, 0x3, 0x7, 0x6, 0xd, 0xa, 0x5, 0xf, 0x9, 0x0, 0x8},
     {0x4, 0xc, 0x7, 0x5, 0x1, 0x6, 0x9, 0xa, 0x0, 0xe, 0xd, 0x8, 0x2, 0xb, 0x3, 0xf},
     {0xb, 0x9, 0x5, 0x1, 0xc, 0x3, 0xd, 0xe, 0x6, 0x4, 0x7, 0xf, 0x2, 0x0, 0x8, 0xa}}};

/// Section 4.3.2: which of q0 and q1 byte `column` of a word meets last, and before it is XORed with key word L_layer.
inline constexpr unsigned twofish_last_q[4] = {1, 0, 1, 0};
inline constexpr unsigned twofish_layer_q[4][4] = {{0, 0, 1, 1}, {0, 1, 0, 1}, {1, 1, 0, 0}, {1, 0, 0, 1}};

/// The two steps of q that mix its halves: (a0, b0) to (a1, b1), and (a2, b2) to (a3, b3). Both are linear.
constexpr std::uint8_t twofish_mixed_a(std::uint32_t a, std::uint32_t b) { return static_cast<std::uint8_t>(a ^ b); }
constexpr std::uint8_t twofish_mixed_b(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t b_rotated = b >> 1 | b << 3;  // ROR4(b, 1)
  return static_cast<std::uint8_t>((a ^ b_rotated ^ a << 3) & 15);
}

/// a * b in GF(2^8) modulo `polynomial`. In constant time for secret b.
constexpr std::uint8_t twofish_times(unsigned a, unsigned b, unsigned polynomial) {
  unsigned product = 0;
  for (unsigned i = 0; i < 8; ++i) {
    product ^= a & (0U - (b >> i & 1));
    a = a << 1 ^ (polynomial & (0U - (a >> 7)));
  }
  return static_cast<std::uint8_t>(product);
}

/// Section 4.2: v(x), the polynomial of the MDS matrix's field. Its elements are 01, 5B and EF.
inline constexpr unsigned twofish_v = 0x169;

/// 1 / x in that field.
inline constexpr unsigned twofish_1_by_x = twofish_v >> 1;

/// A byte y that leaves the last q of column j of a word, times each element of the MDS matrix.
template <class Byte>
struct TwofishProducts {
  Byte y, y_5b, y_ef;
};

/// Section 4.2: the MDS matrix times (y0, y1, y2, y3).
template <class Byte>
PHALANX_INLINE void twofish_mds(const TwofishProducts<Byte> p[4], Byte z[4]) {
  z[0] = p[0].y ^ p[1].y_ef ^ p[2].y_5b ^ p[3].y_5b;
  z[1] = p[0].y_5b ^ p[1].y_ef ^ p[2].y_ef ^ p[3].y;
  z[2] = p[0].y_ef ^ p[1].y_5b ^ p[2].y ^ p[3].y_ef;
  z[3] = p[0].y_ef ^ p[1].y ^ p[2].y_ef ^ p[3].y_5b;
}

/// The MDS matrix times (y0, y1, y2, y3), given w_i = y_i / x: 5B = 1 + x^-2 and EF = 1 + x^-1 + x^-2, so that with the sum
/// s of all w_i and r = (x + x^-1) s every row is a sum of three. z may be w. Field::times<factor>(w) is the product with a
/// constant.
template <class Field, class Byte>
PHALANX_INLINE void twofish_mds_of_divided(const Byte w[4], Byte z[4]) {
  const Byte sum = lut3<0x96>(w[0], w[1], w[2]) ^ w[3];
  const Byte r = Field::template times<2 ^ twofish_1_by_x>(sum);
  const Byte r_plus_sum = r ^ sum;
  const Byte z0 = lut3<0x96>(r, w[1], Field::template times<twofish_1_by_x>(w[0]));
  const Byte z1 = lut3<0x96>(r_plus_sum, w[0], Field::template times<twofish_1_by_x ^ 1>(w[3]));
  const Byte z2 = lut3<0x96>(r_plus_sum, w[1], Field::template times<twofish_1_by_x ^ 1>(w[2]));
  const Byte z3 = lut3<0x96>(r_plus_sum, w[3], Field::template times<twofish_1_by_x ^ 1>(w[1]));
  z[0] = z0;
  z[1] = z1;
  z[2] = z2;
  z[3] = z3;
}

}  // namespace
}  // namespace phalanx
