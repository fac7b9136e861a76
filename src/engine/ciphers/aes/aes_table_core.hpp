// AES (FIPS 197) by tables of 32-bit words that join SUBBYTES(), SHIFTROWS() and MIXCOLUMNS(): one look-up for each byte of
// the state and round. For machines where a look-up's time cannot depend on its index: a GPU whose every lane has its own
// copy of the tables, in its own bank of shared memory. The tables are reached through a policy,
//
//   template <int table, int byte> std::uint32_t look_up(std::uint32_t x) const;  // entry (byte `byte` of x) of `table`
//
// so that a host runs the same rounds over an array (tests). The word of a column holds row r in byte r. Table r is for
// bytes of row r: their share of the column that they come to.
#pragma once

#include "engine/ciphers/aes/aes_key_expansion.hpp"
#include "engine/ciphers/aes/circuits/aes_sbox_circuit.hpp"
#include "engine/ciphers/direction.hpp"
#include "engine/lanes/word_gpu.hpp"

namespace phalanx {
namespace {

/// {02} times each of four packed bytes (section 4.2).
PHALANX_INLINE constexpr std::uint32_t aes_double(std::uint32_t x) {
  return (x & 0x7f7f7f7f) << 1 ^ (x >> 7 & 0x01010101) * 0x1b;
}
PHALANX_INLINE constexpr std::uint32_t aes_rotate_left(std::uint32_t x, unsigned count) {
  return count == 0 ? x : x << count | x >> (32 - count);
}

/// MIXCOLUMNS() or INVMIXCOLUMNS() of one column (sections 5.1.3 and 5.3.3).
template <Direction direction>
PHALANX_INLINE constexpr std::uint32_t aes_mix_column(std::uint32_t x) {
  const std::uint32_t x2 = aes_double(x);
  if constexpr (direction == Direction::encrypt) {
    return x2 ^ aes_rotate_left(x2 ^ x, 24) ^ aes_rotate_left(x, 16) ^ aes_rotate_left(x, 8);
  } else {
    const std::uint32_t x4 = aes_double(x2);
    const std::uint32_t x8 = aes_double(x4);
    return (x2 ^ x4 ^ x8) ^ aes_rotate_left(x ^ x2 ^ x8, 24) ^ aes_rotate_left(x ^ x4 ^ x8, 16) ^ aes_rotate_left(x ^ x8, 8);
  }
}

/// Table 0 of each direction; table r is the same, every word rotated to the left by r bytes.
struct AesTables {
  std::uint32_t word[num_directions][256];

  constexpr AesTables() : word() {
    std::uint32_t power[256] = {};  // of {03}, which generates the field's multiplicative group
    std::uint32_t logarithm[256] = {};
    for (std::uint32_t x = 1, i = 0; i < 255; ++i, x ^= aes_double(x)) {
      power[i] = x;
      logarithm[x] = i;
    }
    for (std::uint32_t x = 0; x < 256; ++x) {
      const std::uint32_t inverse = x == 0 ? 0 : power[(255 - logarithm[x]) % 255];
      std::uint32_t s = 0x63;  // SBOX(), section 5.1.1
      for (int i = 0; i < 5; ++i) s ^= (inverse << i | inverse >> (8 - i)) & 0xff;
      word[0][x] = aes_mix_column<Direction::encrypt>(s);
      word[1][s] = aes_mix_column<Direction::decrypt>(x);
    }
  }
};
inline constexpr AesTables aes_tables{};

/// SUBWORD() in constant time: the bytes' bits are lanes 0, 8, 16 and 24 of eight words.
PHALANX_INLINE std::uint32_t aes_sub_word(std::uint32_t word) {
  GpuWord x[8];
  for (int bit = 0; bit < 8; ++bit) x[bit].bits = word >> bit;
  aes_s_box(x);
  std::uint32_t substituted = 0;
  for (int bit = 0; bit < 8; ++bit) substituted |= (x[bit].bits & 0x01010101) << bit;
  return substituted;
}

/// The round keys of CIPHER() and, in the order of their use, of EQINVCIPHER() (sections 5.1 and 5.3.5).
template <int num_rounds>
struct alignas(16) AesTableSchedule {
  std::uint32_t round_keys[num_directions][num_rounds + 1][4];

  PHALANX_INLINE void expand(const std::uint8_t* key) {
    std::uint8_t expanded[num_rounds + 1][16];
    aes_expand_key<num_rounds>(key, expanded, [](std::uint32_t word) { return aes_sub_word(word); });
    for (int round = 0; round <= num_rounds; ++round) {
      const bool is_outer = round == 0 || round == num_rounds;
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t word = load_u32(expanded[round] + 4 * i);
        round_keys[0][round][i] = word;
        round_keys[1][num_rounds - round][i] = is_outer ? word : aes_mix_column<Direction::decrypt>(word);
      }
    }
    wipe(expanded, sizeof expanded);
  }
};

/// Which column the byte in row `row` of column `column` comes from: SHIFTROWS() and INVSHIFTROWS().
template <Direction direction>
constexpr int aes_source_column(int column, int row) {
  return (direction == Direction::encrypt ? column + row : column - row + 4) % 4;
}

/// One round of one column.
template <Direction direction, int column, class Tables>
PHALANX_INLINE std::uint32_t aes_table_column(const Tables& tables, const std::uint32_t s[4], std::uint32_t round_key) {
  return tables.template look_up<0, 0>(s[aes_source_column<direction>(column, 0)]) ^
         tables.template look_up<1, 1>(s[aes_source_column<direction>(column, 1)]) ^
         tables.template look_up<2, 2>(s[aes_source_column<direction>(column, 2)]) ^
         tables.template look_up<3, 3>(s[aes_source_column<direction>(column, 3)]) ^ round_key;
}
template <Direction direction, class Tables, class RoundKey>
PHALANX_INLINE void aes_table_round(const Tables& tables, const RoundKey& round_key, std::uint32_t s[4]) {
  const std::uint32_t column0 = aes_table_column<direction, 0>(tables, s, round_key[0]);
  const std::uint32_t column1 = aes_table_column<direction, 1>(tables, s, round_key[1]);
  const std::uint32_t column2 = aes_table_column<direction, 2>(tables, s, round_key[2]);
  const std::uint32_t column3 = aes_table_column<direction, 3>(tables, s, round_key[3]);
  s[0] = column0;
  s[1] = column1;
  s[2] = column2;
  s[3] = column3;
}

/// The last round, which has no MIXCOLUMNS(), of one column.
template <Direction direction, int column, class Tables>
PHALANX_INLINE std::uint32_t aes_last_column(const Tables& tables, const std::uint32_t s[4], std::uint32_t round_key) {
  // The factors of SBOX(x) in bytes 0 to 3 of table 0 are {02}, {01}, {01}, {03}: byte b of table b - 1 is SBOX(x) itself.
  constexpr bool encrypt = direction == Direction::encrypt;
  const std::uint32_t w0 = tables.template look_up < encrypt ? 3 : 0, 0 > (s[aes_source_column<direction>(column, 0)]);
  const std::uint32_t w1 = tables.template look_up < encrypt ? 0 : 1, 1 > (s[aes_source_column<direction>(column, 1)]);
  const std::uint32_t w2 = tables.template look_up < encrypt ? 1 : 2, 2 > (s[aes_source_column<direction>(column, 2)]);
  const std::uint32_t w3 = tables.template look_up < encrypt ? 2 : 3, 3 > (s[aes_source_column<direction>(column, 3)]);
  if constexpr (encrypt) {
    return permute_bytes<0x7610>(permute_bytes<0x7650>(w0, w1), permute_bytes<0x7210>(w2, w3)) ^ round_key;
  } else {
    // {0e} + {09} + {0d} + {0b} = {01}: INVSBOX(x) is the sum of a word's bytes. Two bytes of each word are added to the
    // other two, then the even bytes of the sums to the odd ones.
    const std::uint32_t sums01 = permute_bytes<0x5410>(w0, w1) ^ permute_bytes<0x7632>(w0, w1);
    const std::uint32_t sums23 = permute_bytes<0x5410>(w2, w3) ^ permute_bytes<0x7632>(w2, w3);
    return permute_bytes<0x6420>(sums01, sums23) ^ permute_bytes<0x7531>(sums01, sums23) ^ round_key;
  }
}
template <Direction direction, class Tables, class RoundKey>
PHALANX_INLINE void aes_last_round(const Tables& tables, const RoundKey& round_key, std::uint32_t s[4]) {
  const std::uint32_t column0 = aes_last_column<direction, 0>(tables, s, round_key[0]);
  const std::uint32_t column1 = aes_last_column<direction, 1>(tables, s, round_key[1]);
  const std::uint32_t column2 = aes_last_column<direction, 2>(tables, s, round_key[2]);
  const std::uint32_t column3 = aes_last_column<direction, 3>(tables, s, round_key[3]);
  s[0] = column0;
  s[1] = column1;
  s[2] = column2;
  s[3] = column3;
}

/// The rounds after the first `rounds_done`, which have left s. round_keys[round][i] is a word.
template <Direction direction, int num_rounds, int rounds_done, class Tables, class RoundKeys>
PHALANX_INLINE void aes_table_rounds(const Tables& tables, const RoundKeys& round_keys, std::uint32_t s[4]) {
  PHALANX_UNROLL
  for (int round = rounds_done + 1; round < num_rounds; ++round) aes_table_round<direction>(tables, round_keys[round], s);
  aes_last_round<direction>(tables, round_keys[num_rounds], s);
}

/// CIPHER() or EQINVCIPHER() of the block s.
template <Direction direction, int num_rounds, class Tables, class RoundKeys>
PHALANX_INLINE void aes_table_crypt(const Tables& tables, const RoundKeys& round_keys, std::uint32_t s[4]) {
  const auto& first = round_keys[0];
  for (int i = 0; i < 4; ++i) s[i] ^= first[i];
  aes_table_rounds<direction, num_rounds, 0>(tables, round_keys, s);
}

/// CTR: what the first two rounds have in common for all counters that differ in the last byte only. That byte is in row 3
/// of column 3; round 1 brings it to column 0, and round 2 one byte of column 0 to each column.
struct AesCounterRounds {
  std::uint64_t prefix = ~std::uint64_t{0};  ///< low 56 bits of the counter without its last byte; first: of none
  std::uint32_t last_key = 0;                ///< round key 0, column 3
  std::uint32_t column0 = 0;                 ///< round 1
  std::uint32_t columns[4] = {};             ///< round 2

  /// `counter` is the counter block's words, as memory has them.
  template <class Tables, class RoundKeys>
  PHALANX_INLINE void prepare(const Tables& tables, const RoundKeys& round_keys, const std::uint32_t counter[4]) {
    const auto& first = round_keys[0];
    std::uint32_t s[4];
    for (int i = 0; i < 4; ++i) s[i] = counter[i] ^ first[i];
    last_key = first[3];
    const std::uint32_t varying = tables.template look_up<3, 3>(s[3]);
    aes_table_round<Direction::encrypt>(tables, round_keys[1], s);
    column0 = s[0] ^ varying;
    std::uint32_t shares[4];
    shares_of_column0(tables, s[0], shares);
    aes_table_round<Direction::encrypt>(tables, round_keys[2], s);
    for (int i = 0; i < 4; ++i) columns[i] = s[i] ^ shares[i];
  }
  /// s = the state after two rounds of a counter block with the last word `last_word`.
  template <class Tables>
  PHALANX_INLINE void run(const Tables& tables, std::uint32_t last_word, std::uint32_t s[4]) const {
    const std::uint32_t column = column0 ^ tables.template look_up<3, 3>(last_word ^ last_key);
    shares_of_column0(tables, column, s);
    for (int i = 0; i < 4; ++i) s[i] ^= columns[i];
  }

 private:
  template <class Tables>
  static PHALANX_INLINE void shares_of_column0(const Tables& tables, std::uint32_t column, std::uint32_t shares[4]) {
    shares[0] = tables.template look_up<0, 0>(column);
    shares[3] = tables.template look_up<1, 1>(column);
    shares[2] = tables.template look_up<2, 2>(column);
    shares[1] = tables.template look_up<3, 3>(column);
  }
};

}  // namespace
}  // namespace phalanx
