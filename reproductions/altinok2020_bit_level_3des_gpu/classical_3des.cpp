#include "reproductions/altinok2020_bit_level_3des_gpu/classical_3des.hpp"

#include <algorithm>
#include <cstdint>

#include "reproductions/altinok2020_bit_level_3des_gpu/char_bits.hpp"
#include "reproductions/fips46_tables.hpp"

namespace papers::altinok2020 {
namespace {

constexpr int bits_per_round_key = 48;
constexpr int round_key_chars = 16 * bits_per_round_key;  // of one base key

template <std::size_t out_bits>
void permute(const unsigned char (&table)[out_bits], const char* in, char* out) {
  for (std::size_t bit = 0; bit < out_bits; ++bit) out[bit] = in[table[bit] - 1];
}

void make_round_keys(const char* base_key, char* round_keys) {
  char halves[56];
  permute(fips46_tables.PC_1, base_key, halves);
  for (int round = 0; round < 16; ++round) {
    const int shift = fips46_tables.left_shifts[round];
    std::rotate(halves, halves + shift, halves + 28);
    std::rotate(halves + 28, halves + 28 + shift, halves + 56);
    permute(fips46_tables.PC_2, halves, round_keys + bits_per_round_key * round);
  }
}

// The outer two of a group's six bits choose the row, the middle four the column.
void substitute(const char* expanded, char* substituted) {
  for (int group = 0; group < 8; ++group, expanded += 6) {
    const int row = 2 * expanded[0] + expanded[5];
    const int column = 8 * expanded[1] + 4 * expanded[2] + 2 * expanded[3] + expanded[4];
    const unsigned value = fips46_tables.S[group][row][column];
    for (int bit = 3; bit >= 0; --bit) *substituted++ = static_cast<char>(value >> bit & 1);
  }
}

void do_round(const char* round_key, char* left, char* right) {
  char expanded[bits_per_round_key];
  permute(fips46_tables.E, right, expanded);
  for (int bit = 0; bit < bits_per_round_key; ++bit) expanded[bit] = static_cast<char>(expanded[bit] ^ round_key[bit]);
  char substituted[32];
  substitute(expanded, substituted);
  char permuted[32];
  permute(fips46_tables.P, substituted, permuted);
  for (int bit = 0; bit < 32; ++bit) {
    const char mixed = static_cast<char>(left[bit] ^ permuted[bit]);
    left[bit] = right[bit];
    right[bit] = mixed;
  }
}

void des(const char* round_keys, phalanx::Direction direction, char* block) {
  char halves[64];
  permute(fips46_tables.IP, block, halves);
  for (int round = 0; round < 16; ++round) {
    const int key = direction == phalanx::Direction::encrypt ? round : 15 - round;
    do_round(round_keys + bits_per_round_key * key, halves, halves + 32);
  }
  std::rotate(halves, halves + 32, halves + 64);  // the preoutput block is R16 L16
  permute(fips46_tables.IP_inverse, halves, block);
}

}  // namespace

std::vector<char> classical_round_keys(phalanx::Bytes key) {
  const std::vector<char> base_keys = bits_of(key);
  std::vector<char> round_keys(3 * round_key_chars);
  for (int i = 0; i < 3; ++i) make_round_keys(base_keys.data() + 64 * i, round_keys.data() + round_key_chars * i);
  return round_keys;
}

void classical_3des(const std::vector<char>& round_keys, phalanx::Direction direction, char* text, std::size_t num_blocks,
                    int num_threads) {
  using phalanx::Direction;
  const bool encrypts = direction == Direction::encrypt;
  const char* const first = round_keys.data() + (encrypts ? 0 : 2 * round_key_chars);
  const char* const second = round_keys.data() + round_key_chars;
  const char* const third = round_keys.data() + (encrypts ? 2 * round_key_chars : 0);
#pragma omp parallel for num_threads(num_threads)
  for (std::size_t i = 0; i < num_blocks; ++i) {
    char* const block = text + 64 * i;
    des(first, direction, block);
    des(second, encrypts ? Direction::decrypt : Direction::encrypt, block);
    des(third, direction, block);
  }
}

}  // namespace papers::altinok2020
