#include "reproductions/altinok2020_bit_level_3des_gpu/published_gpu_3des.hpp"

#include "reproductions/altinok2020_bit_level_3des_gpu/char_bits.hpp"
#include "reproductions/altinok2020_bit_level_3des_gpu/published_kernel.hpp"

namespace papers::altinok2020 {
namespace {

std::vector<char> backwards(const char* round_keys) {
  std::vector<char> reversed;
  for (int round = 15; round >= 0; --round) {
    const char* const key = round_keys + bits_per_round_key * round;
    reversed.insert(reversed.end(), key, key + bits_per_round_key);
  }
  return reversed;
}

}  // namespace

std::vector<char> Published3Des::make_round_keys(phalanx::Bytes key) {
  const std::vector<char> base_keys = bits_of(key);
  DeviceMemory<Fips46Tables> tables(1);
  DeviceMemory<char> base(base_keys.size());
  DeviceMemory<char> made(std::size_t{num_base_keys} * round_key_chars);
  tables.copy_in(&fips46_tables, 1);
  base.copy_in(base_keys.data(), base_keys.size());
  launch_key_kernel(tables.get(), base.get(), made.get());
  std::vector<char> round_keys(made.size());
  made.copy_out(round_keys.data(), round_keys.size());
  return round_keys;
}

void Published3Des::pass(const char* round_keys, std::size_t num_blocks) {
  const std::size_t num_chars = bits_per_block * num_blocks;
  DeviceMemory<Fips46Tables> tables(1);
  DeviceMemory<char> keys(round_key_chars);
  DeviceMemory<char> plain(num_chars);
  DeviceMemory<char> crypted(num_chars);
  keys.copy_in(round_keys, round_key_chars);
  plain.copy_in(in_.data(), num_chars);
  require_success(cudaMemset(crypted.get(), 0, num_chars), "memory of the GPU");
  tables.copy_in(&fips46_tables, 1);
  launch_published_kernel(tables.get(), keys.get(), plain.get(), crypted.get(), static_cast<unsigned>(num_blocks));
  require_success(cudaGetLastError(), "a launch");
  require_success(cudaDeviceSynchronize(), "a kernel");
  crypted.copy_out(out_.data(), num_chars);
}

void Published3Des::crypt(phalanx::Direction direction, phalanx::Bytes key, phalanx::Bytes in, phalanx::MutableBytes out) {
  const bool encrypts = direction == phalanx::Direction::encrypt;
  const std::vector<char> round_keys = make_round_keys(key);
  spread_bits(in, in_.data());
  for (int number = 0; number < num_base_keys; ++number) {
    if (number > 0) in_.swap(out_);
    const int which = encrypts ? number : num_base_keys - 1 - number;
    const char* const keys = round_keys.data() + std::size_t{round_key_chars} * which;
    const bool forwards = encrypts == (number != 1);
    pass(forwards ? keys : backwards(keys).data(), in.size() / 8);
  }
  gather_bytes(out_.data(), out);
}

}  // namespace papers::altinok2020
