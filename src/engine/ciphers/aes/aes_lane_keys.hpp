// KEYEXPANSION() of FIPS 197, section 5.2, for a key in each 128-bit element of a vector with AES instructions.
#pragma once

#include "engine/lanes/lane_word.hpp"

namespace phalanx {
namespace {

/// Bytes of a 128-bit element from which every column takes a word: column 3 or 1, as it is or after ROTWORD().
alignas(16) inline constexpr std::uint8_t aes_last_column[16] = {12, 13, 14, 15, 12, 13, 14, 15,
                                                                 12, 13, 14, 15, 12, 13, 14, 15};
alignas(16) inline constexpr std::uint8_t aes_last_column_rotated[16] = {13, 14, 15, 12, 13, 14, 15, 12,
                                                                         13, 14, 15, 12, 13, 14, 15, 12};
alignas(16) inline constexpr std::uint8_t aes_second_column_rotated[16] = {5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4};

template <class Vector>
PHALANX_INLINE Vector aes_every_column(Vector v, const std::uint8_t column[16]) {
  return shuffle_bytes(v, Vector::broadcast128(column));
}
/// SUBWORD() of equal columns, in which SHIFTROWS() moves nothing, plus Rcon.
template <class Vector>
PHALANX_INLINE Vector aes_substitute_words(Vector columns, std::uint32_t round_constant) {
  return aes_encrypt_last(columns, Vector::broadcast32(round_constant));
}
/// Every column plus all columns before it.
template <class Vector>
PHALANX_INLINE Vector aes_sum_columns(Vector v) {
  v = v ^ shift_left_bytes128<4>(v);
  return v ^ shift_left_bytes128<8>(v);
}
/// INVMIXCOLUMNS(): the substitutions of an AESENCLAST and an AESDEC undo one another, and so do their shifts of rows.
template <class Vector>
PHALANX_INLINE Vector aes_inverse_mix(Vector v) {
  return aes_decrypt_round(aes_encrypt_last(v, Vector::zero()), Vector::zero());
}

/// Rcon after this one: times x in the field of section 4.2.
PHALANX_INLINE std::uint32_t aes_next_round_constant(std::uint32_t c) { return (c << 1) ^ (0x11b & (0U - (c >> 7))); }

/// The round keys go to store(round, vector). `first` is bytes 0 to 15 of each key, `second`
/// what follows.
template <int num_rounds, class Vector, class Store>
PHALANX_INLINE void aes_expand_vector(Vector first, Vector second, Store store) {
  std::uint32_t rcon = 1;
  store(0, first);
  if constexpr (num_rounds == 10) {
    for (int round = 1; round <= 10; ++round) {
      first = aes_sum_columns(first) ^ aes_substitute_words(aes_every_column(first, aes_last_column_rotated), rcon);
      rcon = aes_next_round_constant(rcon);
      store(round, first);
    }
  } else if constexpr (num_rounds == 14) {
    store(1, second);
    for (int round = 2;; round += 2) {
      first = aes_sum_columns(first) ^ aes_substitute_words(aes_every_column(second, aes_last_column_rotated), rcon);
      rcon = aes_next_round_constant(rcon);
      store(round, first);
      if (round == 14) break;
      second = aes_sum_columns(second) ^ aes_substitute_words(aes_every_column(first, aes_last_column), 0);
      store(round + 1, second);
    }
  } else {  // six words at a time, the last two of them in the low half of `second`
    for (int round = 1;; round += 3) {
      const Vector six_back = second;
      const Vector four_back = first;
      first = aes_sum_columns(four_back) ^ aes_substitute_words(aes_every_column(six_back, aes_second_column_rotated), rcon);
      rcon = aes_next_round_constant(rcon);
      store(round, unpack_low64(six_back, first));
      second = aes_sum_columns(six_back) ^ aes_every_column(first, aes_last_column);
      store(round + 1, unpack_low64(swap_halves(first), second));
      const Vector last = second;
      first = aes_sum_columns(first) ^ aes_substitute_words(aes_every_column(last, aes_second_column_rotated), rcon);
      rcon = aes_next_round_constant(rcon);
      store(round + 2, first);
      if (round + 2 == 12) break;
      second = aes_sum_columns(last) ^ aes_every_column(first, aes_last_column);
    }
  }
}

}  // namespace
}  // namespace phalanx
