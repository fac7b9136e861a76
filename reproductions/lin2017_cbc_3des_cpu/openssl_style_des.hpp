// Section II and III of the paper: DES as it says OpenSSL computes it, written from the paper and FIPS 46-3.
//
// The two halves of a block are loaded little-endian and permuted by PERM_OPs. That leaves bit i + 1 of a standard's half at
// bit i of its word. Rotated left by three, the word then holds the six inputs of S1, S3, S5 and S7 at bits 2, 10, 18 and
// 26, and those of the other four boxes four bits higher: the expansion E costs one rotation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "reproductions/fips46_tables.hpp"

namespace papers::lin2017 {

/// Both words of a block: the paper's yellow input of figure 3 is one of them.
struct Halves {
  std::uint32_t l, r;
};

inline constexpr std::size_t num_key_words = 32;  ///< two for each of a DES's 16 rounds
using KeySchedule = std::array<std::uint32_t, num_key_words>;

/// Keeps the compiler from simplifying what goes into or comes out of here: a kernel is timed as the paper writes it. No
/// instruction.
inline std::uint32_t as_written(std::uint32_t value) {
  __asm__("" : "+r"(value));
  return value;
}

/// ROTATE of the paper's listing: to the right.
inline std::uint32_t rotate(std::uint32_t value, unsigned count) { return value >> count | value << (32 - count); }

/// Where input k (from 0) of S-box i (from 0) lies in a rotated half; for an odd i, before ROTATE(t, 4).
constexpr unsigned place_of_input(unsigned i, unsigned k) { return (4 * i + k + 2) % 32; }

/// SPtrans: substitution and the permutation P in one look-up, from six bits to the 32-bit word that they contribute to f.
using SPtransTable = std::array<std::array<std::uint32_t, 64>, 8>;

constexpr SPtransTable make_sptrans() {
  SPtransTable table{};
  for (unsigned i = 0; i < 8; ++i) {
    for (unsigned x = 0; x < 64; ++x) {  // bit k of x is the box's input k + 1
      const unsigned row = (x & 1) << 1 | x >> 5;
      const unsigned column = (x >> 1 & 1) << 3 | (x >> 2 & 1) << 2 | (x >> 3 & 1) << 1 | (x >> 4 & 1);
      const unsigned output = fips46_tables.S[i][row][column];
      for (unsigned bit = 1; bit <= 32; ++bit) {  // of f, from the left
        const unsigned from = fips46_tables.P[bit - 1] - 1u;
        if (from / 4 == i && (output >> (3 - from % 4) & 1) != 0) table[i][x] |= std::uint32_t{1} << (bit + 2) % 32;
      }
    }
  }
  return table;
}

alignas(64) inline constexpr SPtransTable DES_SPtrans = make_sptrans();

/// Figure 3: the 48 bits of a round key in two words, the odd boxes' in the first, in the order of the rotated half.
inline KeySchedule expand_key(std::span<const std::uint8_t, 8> key) {
  KeySchedule s{};
  unsigned shifted = 0;
  for (unsigned round = 0; round < 16; ++round) {
    shifted += static_cast<unsigned>(fips46_tables.left_shifts[round]);
    for (unsigned bit = 0; bit < 48; ++bit) {
      const unsigned half = fips46_tables.PC_2[bit] > 28 ? 28 : 0;  // D, else C
      const unsigned chosen = fips46_tables.PC_1[half + (fips46_tables.PC_2[bit] - 1u - half + shifted) % 28] - 1u;
      const std::uint32_t value = key[chosen / 8] >> (7 - chosen % 8) & 1;
      s[2 * round + bit / 6 % 2] |= value << place_of_input(bit / 6, bit % 6);
    }
  }
  return s;
}

/// The same rounds backwards.
inline KeySchedule reversed(const KeySchedule& s) {
  KeySchedule backwards{};
  for (std::size_t word = 0; word < num_key_words; ++word) backwards[word] = s[30 - (word & ~std::size_t{1}) + (word & 1)];
  return backwards;
}

/// PERM_OP(a, b, t, n, m): swaps the bits of b under m with those of a that are n higher.
template <unsigned n, std::uint32_t m>
inline void PERM_OP(std::uint32_t& a, std::uint32_t& b) {
  const std::uint32_t t = ((a >> n) ^ b) & m;
  b ^= t;
  a ^= t << n;
}

/// The permutations of the baseline: five PERM_OPs each. IP leaves the left half in the word that was loaded second.
struct PermOps {
  static void IP(Halves& block) {
    auto& [l, r] = block;
    PERM_OP<4, 0x0f0f0f0f>(r, l);
    PERM_OP<16, 0x0000ffff>(l, r);
    PERM_OP<2, 0x33333333>(r, l);
    PERM_OP<8, 0x00ff00ff>(l, r);
    PERM_OP<1, 0x55555555>(r, l);
    block = {r, l};
  }

  static void FP(Halves& block) {
    block = {block.r, block.l};
    auto& [l, r] = block;
    PERM_OP<1, 0x55555555>(r, l);
    PERM_OP<8, 0x00ff00ff>(l, r);
    PERM_OP<2, 0x33333333>(r, l);
    PERM_OP<16, 0x0000ffff>(l, r);
    PERM_OP<4, 0x0f0f0f0f>(r, l);
  }
};

/// The eight look-ups of D_ENCRYPT, XORed one after another.
struct SPtrans {
  static std::uint32_t look_up(std::uint32_t u, std::uint32_t t) {
    return DES_SPtrans[0][u >> 2 & 0x3f] ^ DES_SPtrans[2][u >> 10 & 0x3f] ^ DES_SPtrans[4][u >> 18 & 0x3f] ^
           DES_SPtrans[6][u >> 26 & 0x3f] ^ DES_SPtrans[1][t >> 2 & 0x3f] ^ DES_SPtrans[3][t >> 10 & 0x3f] ^
           DES_SPtrans[5][t >> 18 & 0x3f] ^ DES_SPtrans[7][t >> 26 & 0x3f];
  }
};

/// D_ENCRYPT(LL, R, S), S its two key words.
template <class Tables>
inline void D_ENCRYPT(std::uint32_t& LL, std::uint32_t R, std::uint32_t key_u, std::uint32_t key_t) {
  const std::uint32_t u = R ^ key_u;
  const std::uint32_t t = rotate(R ^ key_t, 4);
  LL ^= Tables::look_up(u, t);
}

/// One DES without IP and FP, which cancel between the three (section II.B.3): sixteen D_ENCRYPTs between four rotations. A
/// function of its own, since inlined the rotations of neighbours would cancel too; the paper counts twelve.
template <class Tables>
[[gnu::noinline]] void des_rounds(Halves& block, const KeySchedule& s) {
  std::uint32_t l = rotate(block.l, 29);
  std::uint32_t r = rotate(block.r, 29);
#pragma GCC unroll 8
  for (std::size_t S = 0; S < num_key_words; S += 4) {
    D_ENCRYPT<Tables>(l, r, s[S], s[S + 1]);
    D_ENCRYPT<Tables>(r, l, s[S + 2], s[S + 3]);
  }
  block = {rotate(r, 3), rotate(l, 3)};  // the preoutput is R16 L16
}

}  // namespace papers::lin2017
