// DES in the order of FIPS 46-3, and double and triple DES (SP 800-67). The tables are those of the reference, which is
// included whole for them.
#include "reference/plain_des.cpp"  // NOLINT: its tables have no other name
#include "reference_agreement.hpp"
#include "specifications.hpp"

namespace prove {
namespace {

namespace standard = phalanx::reference;

// FIPS 46-3 numbers bits from 1, the leftmost of a byte first; also the way back.
Signals in_order_of_standard(Signals bytes) {
  Signals bits(bytes.size());
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = bytes[i ^ 7];
  return bits;
}

template <class Table>
Signals permute(const Table& table, const Signals& in) {
  Signals out;
  for (const unsigned bit : table) out.push_back(in[bit - 1]);
  return out;
}

// S_i: the first and the last of six bits are the row, the others the column.
Signals select(unsigned i, const Signals& B) {
  const Signals from_lowest = {B[4], B[3], B[2], B[1], B[5], B[0]};
  const Signals output = specified_box(&standard::S[i][0][0], from_lowest, 4);
  return {output[3], output[2], output[1], output[0]};
}

Signals f(const Signals& R, const Signals& K) {
  const Signals B = xor_of(permute(standard::E, R), K);
  Signals selected;
  for (unsigned i = 0; i < 8; ++i) selected = joined(selected, select(i, part(B, 6 * std::size_t{i}, 6)));
  return permute(standard::P, selected);
}

std::vector<Signals> key_schedule(const Signals& key) {
  const Signals chosen = permute(standard::PC_1, key);
  Signals C = part(chosen, 0, 28);
  Signals D = part(chosen, 28, 28);
  std::vector<Signals> K;
  for (const unsigned shifts : standard::left_shifts) {
    C = joined(part(C, shifts, 28 - shifts), part(C, 0, shifts));
    D = joined(part(D, shifts, 28 - shifts), part(D, 0, shifts));
    K.push_back(permute(standard::PC_2, joined(C, D)));
  }
  return K;
}

Signals crypt(Direction direction, const Signals& key, const Signals& block) {
  const std::vector<Signals> K = key_schedule(key);
  const Signals permuted = permute(standard::IP, block);
  Signals L = part(permuted, 0, 32);
  Signals R = part(permuted, 32, 32);
  for (unsigned n = 0; n < 16; ++n) {
    const Signals next = xor_of(L, f(R, K[direction == Direction::encrypt ? n : 15 - n]));
    L = R;
    R = next;
  }
  return permute(standard::IP_inverse, joined(R, L));
}

}  // namespace

Signals specified_des(Direction direction, const Signals& key, const Signals& block) {
  const std::size_t num_keys = key.size() / 64;
  const bool encrypt = direction == Direction::encrypt;
  Signals bits = in_order_of_standard(block);
  for (std::size_t step = 0; step < num_keys; ++step) {
    const std::size_t k = encrypt ? step : num_keys - 1 - step;
    const bool inverse = num_keys == 3 && k == 1;  // SP 800-67 section 3.1
    const Signals pass_key = in_order_of_standard(part(key, 64 * k, 64));
    bits = crypt(encrypt != inverse ? Direction::encrypt : Direction::decrypt, pass_key, bits);
  }
  return in_order_of_standard(bits);
}

Signals specified_des_box(unsigned box, const Signals& six_bits, unsigned turn) {
  const Signals output = select(box, {six_bits.rbegin(), six_bits.rend()});
  Signals of_all_boxes(32, zero);
  std::copy(output.begin(), output.end(), of_all_boxes.begin() + 4 * box);
  const Signals permuted = permute(standard::P, of_all_boxes);
  Signals word(32);
  for (unsigned i = 0; i < 32; ++i) word[(31 - i + turn) % 32] = permuted[i];
  return word;
}

bool specified_des_is_the_reference() {
  return agrees<standard::Des, 8, 8>(specified_des) && agrees<standard::DoubleDes, 16, 8>(specified_des) &&
         agrees<standard::TripleDes, 24, 8>(specified_des);
}

}  // namespace prove
