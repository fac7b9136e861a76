#include "reproductions/swierczewski2013_3des_ecb_cuda/openmp_3des_ecb.hpp"

#include <algorithm>

namespace papers::swierczewski2013 {
namespace {

LongInteger rotate_left_28(LongInteger half, int count) { return (half << count | half >> (28 - count)) & 0x0fffffff; }

void make_des_keys(LongInteger base_key, LongInteger* round_keys) {
  const LongInteger chosen = permute(fips46_tables.PC_1, 64, base_key);
  LongInteger C = chosen >> 28;
  LongInteger D = chosen & 0x0fffffff;
  for (int round = 0; round < 16; ++round) {
    C = rotate_left_28(C, fips46_tables.left_shifts[round]);
    D = rotate_left_28(D, fips46_tables.left_shifts[round]);
    round_keys[round] = permute(fips46_tables.PC_2, 56, C << 28 | D);
  }
}

}  // namespace

RoundKeys make_round_keys(phalanx::Direction direction, phalanx::Bytes key) {
  RoundKeys round_keys;
  for (int pass = 0; pass < 3; ++pass) {
    LongInteger base_key = 0;
    for (int byte = 0; byte < 8; ++byte) base_key = base_key << 8 | key[8 * pass + byte];
    make_des_keys(base_key, &round_keys[16 * pass]);
  }
  std::reverse(round_keys.begin() + 16, round_keys.begin() + 32);  // the second pass decrypts
  if (direction == phalanx::Direction::decrypt) std::reverse(round_keys.begin(), round_keys.end());
  return round_keys;
}

void openmp_3des_ecb(const RoundKeys& round_keys, LongInteger* data, std::size_t num_blocks, int num_threads) {
#pragma omp parallel for num_threads(num_threads)
  for (std::size_t i = 0; i < num_blocks; ++i) data[i] = triple_des(fips46_tables, round_keys.data(), data[i]);
}

}  // namespace papers::swierczewski2013
