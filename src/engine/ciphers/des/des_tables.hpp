// The bit selections of FIPS 46-3. Bits are numbered as there: from 1, the leftmost (most significant) first.
#pragma once

#include <cstdint>

namespace phalanx {
namespace {

/// The initial permutation: bit i of the permuted input is bit IP[i - 1] of the input.
inline constexpr std::uint8_t IP[64] = {
    58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4,  //
    62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24, 16, 8,  //
    57, 49, 41, 33, 25, 17, 9,  1, 59, 51, 43, 35, 27, 19, 11, 3,  //
    61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7,
};

/// The expansion E of R to 48 bits, six for each S-box.
inline constexpr std::uint8_t E[48] = {
    32, 1,  2,  3,  4,  5,  4,  5,  6,  7,  8,  9,  8,  9,  10, 11, 12, 13, 12, 13, 14, 15, 16, 17,
    16, 17, 18, 19, 20, 21, 20, 21, 22, 23, 24, 25, 24, 25, 26, 27, 28, 29, 28, 29, 30, 31, 32, 1,
};

/// The permutation P of the S-boxes' outputs.
inline constexpr std::uint8_t P[32] = {
    16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25,
};

/// Permuted choice 1: the 56 key bits C0 D0; the parity bits 8, 16, ..., 64 do not occur.
inline constexpr std::uint8_t PC1[56] = {
    57, 49, 41, 33, 25, 17, 9,  1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
    63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4,
};

/// Permuted choice 2: the 48 bits of a round key out of C D.
inline constexpr std::uint8_t PC2[48] = {
    14, 17, 11, 24, 1,  5,  3,  28, 15, 6,  21, 10, 23, 19, 12, 4,  26, 8,  16, 7,  27, 20, 13, 2,
    41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
};

/// Left shifts of C and D before each round.
inline constexpr std::uint8_t shifts[16] = {1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1};

/// Which bit of the 64-bit key, from 0, each bit of each round key is: the whole key schedule is a selection.
struct RoundKeyBits {
  std::uint8_t key_bit[16][48];
};

constexpr RoundKeyBits select_round_key_bits() {
  RoundKeyBits bits{};
  unsigned shifted = 0;
  for (unsigned round = 0; round < 16; ++round) {
    shifted += shifts[round];
    for (unsigned i = 0; i < 48; ++i) {
      const unsigned half = PC2[i] > 28 ? 28 : 0;  // D, else C
      const unsigned in_half = (PC2[i] - 1 - half + shifted) % 28;
      bits.key_bit[round][i] = static_cast<std::uint8_t>(PC1[half + in_half] - 1);
    }
  }
  return bits;
}

inline constexpr RoundKeyBits round_key_bits = select_round_key_bits();

/// Where an output bit of the S-boxes lands in f: bit P_inverse[i - 1] of f is output bit i.
struct InverseP {
  std::uint8_t position[32];
};

constexpr InverseP invert_p() {
  InverseP inverse{};
  for (unsigned i = 0; i < 32; ++i) inverse.position[P[i] - 1] = static_cast<std::uint8_t>(i + 1);
  return inverse;
}

inline constexpr InverseP inverse_p = invert_p();

}  // namespace
}  // namespace phalanx
