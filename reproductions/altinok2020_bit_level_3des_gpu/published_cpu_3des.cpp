#include <algorithm>
#include <cstring>

#include "reproductions/altinok2020_bit_level_3des_gpu/published_3des.hpp"
#include "reproductions/fips46_tables.hpp"

namespace papers::altinok2020 {
namespace {

constexpr int num_rounds = 16;
constexpr int bits_per_round_key = 48;
constexpr int round_key_chars = num_rounds * bits_per_round_key;  // of one base key

// By way of a copy, as the published functions do it.
template <std::size_t num_bits>
void permute_in_place(const unsigned char (&table)[num_bits], char* bits) {
  char copy[num_bits];
  for (std::size_t i = 0; i < num_bits; ++i) copy[i] = bits[table[i] - 1];
  std::memcpy(bits, copy, num_bits);
}

void substitute(const Fips46Tables& tables, const char* expanded, char* substituted) {
  for (int box = 0; box < 8; ++box, expanded += 6) {
    const int row = 2 * expanded[0] + expanded[5];
    const int column = 8 * expanded[1] + 4 * expanded[2] + 2 * expanded[3] + expanded[4];
    // Another thread's half-written chars may be more than a bit each: stay inside the table.
    const int value = tables.S[box][row & 3][column & 15];
    for (int bit = 3; bit >= 0; --bit) *substituted++ = static_cast<char>(value >> bit & 1);
  }
}

// One DES from `block`, which IP permutes where it is, to `out`. The tables are the function's own, filled at each call.
void published_des(char* block, const char* round_keys, char* out) {
  const Fips46Tables tables = fips46_tables;
  permute_in_place(tables.IP, block);
  char left[32];
  char right[32];
  std::memcpy(left, block, 32);
  std::memcpy(right, block + 32, 32);
  for (int round = 0; round < num_rounds; ++round) {
    char expanded[bits_per_round_key];
    char mixed[32];
    for (int i = 0; i < bits_per_round_key; ++i)
      expanded[i] = static_cast<char>(right[tables.E[i] - 1] ^ round_keys[bits_per_round_key * round + i]);
    substitute(tables, expanded, mixed);
    permute_in_place(tables.P, mixed);
    for (int i = 0; i < 32; ++i) left[i] = static_cast<char>(left[i] ^ mixed[i]);
    if (round != num_rounds - 1) std::swap_ranges(left, left + 32, right);
  }
  std::memcpy(out, left, 32);
  std::memcpy(out + 32, right, 32);
  permute_in_place(tables.IP_inverse, out);
}

// The middle pass: the keys are reversed anew for every block.
void published_des_backwards(char* block, const char* round_keys, char* out) {
  char reversed[round_key_chars];
  for (int round = 0; round < num_rounds; ++round)
    std::memcpy(reversed + bits_per_round_key * (num_rounds - 1 - round), round_keys + bits_per_round_key * round,
                bits_per_round_key);
  published_des(block, reversed, out);
}

// The three arrays between the passes.
struct Between {
  char first[64];
  char second[64];
  char third[64];
};

void crypt_one(const std::vector<char>& round_keys, char* block, Between& work, char* out) {
  published_des(block, round_keys.data(), work.first);
  published_des_backwards(work.first, round_keys.data() + round_key_chars, work.second);
  published_des(work.second, round_keys.data() + 2 * round_key_chars, work.third);
  std::memcpy(out, work.third, sizeof work.third);
}

}  // namespace

void published_cpu_3des(const std::vector<char>& round_keys, WorkVariables work, char* text, char* out,
                        std::size_t num_blocks, int num_threads) {
  Between for_all{};
#pragma omp parallel for num_threads(num_threads)
  for (std::size_t i = 0; i < num_blocks; ++i) {
    Between own;
    crypt_one(round_keys, text + 64 * i, work == WorkVariables::shared ? for_all : own, out + 64 * i);
  }
}

}  // namespace papers::altinok2020
