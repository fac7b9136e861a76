// Swierczewski (2013), section II: triple DES of one 64-bit block held in a 64-bit integer, as listing 1.1 shows them (data
// and 48 round keys, `long long int` each). The same code runs in the paper's CUDA threads and in its OpenMP version.
//
// What the paper does not print, the function itself, is a guess: see README.md.
#pragma once

#include "reproductions/fips46_tables.hpp"

#ifdef __CUDACC__
#define PAPERS_HOST_DEVICE __host__ __device__
#else
#define PAPERS_HOST_DEVICE
#endif

namespace papers::swierczewski2013 {

using LongInteger = unsigned long long;

inline constexpr int num_round_keys = 48;  // E, D, E: sixteen each, in the order in which the rounds take them

// Bit by bit. Bit 1 of FIPS 46-3 is the most significant of in_bits.
template <int out_bits>
PAPERS_HOST_DEVICE inline LongInteger permute(const unsigned char (&table)[out_bits], int in_bits, LongInteger in) {
  LongInteger out = 0;
  for (int bit = 0; bit < out_bits; ++bit) out = out << 1 | (in >> (in_bits - table[bit]) & 1);
  return out;
}

PAPERS_HOST_DEVICE inline LongInteger substitute(const Fips46Tables& tables, LongInteger expanded) {
  LongInteger out = 0;
  for (int group = 0; group < 8; ++group) {
    const int six = static_cast<int>(expanded >> (42 - 6 * group) & 63);
    const int row = (six >> 4 & 2) | (six & 1);
    out = out << 4 | tables.S[group][row][six >> 1 & 15];
  }
  return out;
}

// Sixteen rounds. For decryption the same with the round keys in reverse.
PAPERS_HOST_DEVICE inline LongInteger des(const Fips46Tables& tables, const LongInteger* round_keys, LongInteger block) {
  const LongInteger permuted = permute(tables.IP, 64, block);
  LongInteger left = permuted >> 32;
  LongInteger right = permuted & 0xffffffff;
  for (int round = 0; round < 16; ++round) {
    const LongInteger expanded = permute(tables.E, 32, right) ^ round_keys[round];
    const LongInteger mixed = left ^ permute(tables.P, 32, substitute(tables, expanded));
    left = right;
    right = mixed;
  }
  return permute(tables.IP_inverse, 64, right << 32 | left);
}

// The file's bytes are big-endian in the standard, the processors are little-endian.
PAPERS_HOST_DEVICE inline LongInteger swap_bytes(LongInteger word) {
  LongInteger swapped = 0;
  for (int byte = 0; byte < 8; ++byte) swapped = swapped << 8 | (word >> 8 * byte & 0xff);
  return swapped;
}

/// Figure 1: one block of the file, as it lies in memory.
PAPERS_HOST_DEVICE inline LongInteger triple_des(const Fips46Tables& tables, const LongInteger* round_keys,
                                                 LongInteger word) {
  LongInteger block = swap_bytes(word);
  for (int pass = 0; pass < 3; ++pass) block = des(tables, round_keys + 16 * pass, block);
  return swap_bytes(block);
}

}  // namespace papers::swierczewski2013
