#include "reproductions/altinok2020_bit_level_3des_gpu/bit_level_3des.hpp"

#include "reproductions/altinok2020_bit_level_3des_gpu/char_bits.hpp"

namespace papers::altinok2020 {
namespace {

constexpr std::size_t bytes_per_block = 8;

// E, D, E with the keys in order; D, E, D with them reversed. In DES the direction is only the order of the round keys.
Mode mode_of(phalanx::Direction direction, int pass) {
  const bool encrypts = (direction == phalanx::Direction::encrypt) == (pass != 1);
  return encrypts ? Mode::encryption : Mode::decryption;
}

}  // namespace

BitLevel3Des::BitLevel3Des(std::size_t max_blocks)
    : bits_(bits_per_block * max_blocks),
      text_(bits_per_block * max_blocks),
      base_keys_(std::size_t{num_base_keys} * bits_per_block),
      round_keys_(std::size_t{num_base_keys} * round_key_chars),
      tables_(1) {
  tables_.copy_in(&fips46_tables, 1);
}

void BitLevel3Des::crypt(phalanx::Direction direction, phalanx::Bytes key, phalanx::Bytes in, phalanx::MutableBytes out) {
  const std::size_t num_blocks = in.size() / bytes_per_block;
  supply_keys(direction, key);
  spread_text(in);
  send_text(num_blocks);
  launch_passes(direction, num_blocks);
  fetch_text(num_blocks);
  gather_text(out);
}

void BitLevel3Des::supply_keys(phalanx::Direction direction, phalanx::Bytes key) {
  std::vector<char> base_keys;
  for (int i = 0; i < num_base_keys; ++i) {
    const int which = direction == phalanx::Direction::encrypt ? i : num_base_keys - 1 - i;
    const std::vector<char> bits = bits_of(key.subspan(bytes_per_block * which, bytes_per_block));
    base_keys.insert(base_keys.end(), bits.begin(), bits.end());
  }
  base_keys_.copy_in(base_keys.data(), base_keys.size());
  launch_key_kernel(tables_.get(), base_keys_.get(), round_keys_.get());
}

void BitLevel3Des::spread_text(phalanx::Bytes in) { spread_bits(in, bits_.data()); }
void BitLevel3Des::send_text(std::size_t num_blocks) { text_.copy_in(bits_.data(), bits_per_block * num_blocks); }
void BitLevel3Des::fetch_text(std::size_t num_blocks) { text_.copy_out(bits_.data(), bits_per_block * num_blocks); }
void BitLevel3Des::gather_text(phalanx::MutableBytes out) { gather_bytes(bits_.data(), out); }

void BitLevel3Des::launch_pass(phalanx::Direction direction, int pass, std::size_t num_blocks) {
  launch_cipher_kernel(tables_.get(), round_keys_.get() + std::size_t{round_key_chars} * pass, mode_of(direction, pass),
                       text_.get(), static_cast<unsigned>(num_blocks));
}

void BitLevel3Des::launch_passes(phalanx::Direction direction, std::size_t num_blocks) {
  for (int pass = 0; pass < 3; ++pass) launch_pass(direction, pass, num_blocks);
}

}  // namespace papers::altinok2020
