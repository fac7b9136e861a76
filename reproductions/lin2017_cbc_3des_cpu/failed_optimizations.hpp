// Section V of the paper and its appendices: three optimisations that its author implemented and that did not help.
#pragma once

#include "reproductions/lin2017_cbc_3des_cpu/openssl_style_des.hpp"

namespace papers::lin2017 {

/// Section V.A, figures 9 and 18: a PERM_OP whose outputs are each the XOR of two masked inputs: three operations deep
/// instead of five. Of figure 19's two masks one is the complement of the other (m << n is ~m; the paper prints m << n = m).
template <unsigned n, std::uint32_t m>
inline void merged_PERM_OP(std::uint32_t& a, std::uint32_t& b) {
  static_assert(m << n == ~m);
  const std::uint32_t new_b = as_written(a >> n & m) ^ (b & ~m);
  a = as_written(a & m) ^ (b << n & ~m);
  b = new_b;
}

struct MergedPermOps {
  static void IP(Halves& block) {
    auto& [l, r] = block;
    merged_PERM_OP<4, 0x0f0f0f0f>(r, l);
    merged_PERM_OP<16, 0x0000ffff>(l, r);
    merged_PERM_OP<2, 0x33333333>(r, l);
    merged_PERM_OP<8, 0x00ff00ff>(l, r);
    merged_PERM_OP<1, 0x55555555>(r, l);
    block = {r, l};
  }

  static void FP(Halves& block) {
    block = {block.r, block.l};
    auto& [l, r] = block;
    merged_PERM_OP<1, 0x55555555>(r, l);
    merged_PERM_OP<8, 0x00ff00ff>(l, r);
    merged_PERM_OP<2, 0x33333333>(r, l);
    merged_PERM_OP<16, 0x0000ffff>(l, r);
    merged_PERM_OP<4, 0x0f0f0f0f>(r, l);
  }
};

/// Section V.B, figures 11 and 24: two PERM_OPs in one, the second with a and b exchanged as they always are. Each output is
/// the XOR of four inputs, shifted and masked: eight ANDs, none of which waits for another.
template <unsigned n1, std::uint32_t m1, unsigned n2, std::uint32_t m2>
inline void double_PERM_OP(std::uint32_t& a, std::uint32_t& b) {
  const std::uint32_t new_b = as_written((a >> n1 & (m1 & m2)) ^ (b & (~m1 & m2))) ^
                              as_written((a << n2 & (m1 << n2 & ~m2)) ^ (b << (n1 + n2) & (~m1 << n2 & ~m2)));
  a = as_written((a >> (n1 + n2) & (m1 >> n2 & m2)) ^ (b >> n2 & (~m1 >> n2 & m2))) ^
      as_written((a & (m1 & ~m2)) ^ (b << n1 & (~m1 & ~m2)));
  b = new_b;
}

struct DoublePermOps {
  static void IP(Halves& block) {
    auto& [l, r] = block;
    double_PERM_OP<4, 0x0f0f0f0f, 16, 0x0000ffff>(r, l);
    double_PERM_OP<2, 0x33333333, 8, 0x00ff00ff>(r, l);
    merged_PERM_OP<1, 0x55555555>(r, l);
    block = {r, l};
  }

  static void FP(Halves& block) {
    block = {block.r, block.l};
    auto& [l, r] = block;
    double_PERM_OP<1, 0x55555555, 8, 0x00ff00ff>(r, l);
    double_PERM_OP<2, 0x33333333, 16, 0x0000ffff>(r, l);
    merged_PERM_OP<4, 0x0f0f0f0f>(r, l);
  }
};

/// Section V.C, figure 12: the eight look-ups XORed in two independent streams that meet at the end.
struct SplitSPtrans {
  static std::uint32_t look_up(std::uint32_t u, std::uint32_t t) {
    const std::uint32_t of_u = DES_SPtrans[0][u >> 2 & 0x3f] ^ DES_SPtrans[2][u >> 10 & 0x3f] ^
                               DES_SPtrans[4][u >> 18 & 0x3f] ^ DES_SPtrans[6][u >> 26 & 0x3f];
    const std::uint32_t of_t = DES_SPtrans[1][t >> 2 & 0x3f] ^ DES_SPtrans[3][t >> 10 & 0x3f] ^
                               DES_SPtrans[5][t >> 18 & 0x3f] ^ DES_SPtrans[7][t >> 26 & 0x3f];
    return as_written(of_u) ^ as_written(of_t);
  }
};

}  // namespace papers::lin2017
