#include "reference/plain_des.hpp"

namespace phalanx::reference {
namespace {

// FIPS 46-3 numbers the bits of a block from 1, leftmost first, and every table says, for each bit of the output in turn,
// which bit of the input it is. We hold a block of n bits as the low n bits of an integer, its bit 1 the most significant of
// them.
template <std::size_t num_bits>
using BitTable = std::array<std::uint8_t, num_bits>;

// clang-format off

// Enciphering: the initial permutation, and its inverse.
constexpr BitTable<64> IP = {
    58, 50, 42, 34, 26, 18, 10, 2,
    60, 52, 44, 36, 28, 20, 12, 4,
    62, 54, 46, 38, 30, 22, 14, 6,
    64, 56, 48, 40, 32, 24, 16, 8,
    57, 49, 41, 33, 25, 17,  9, 1,
    59, 51, 43, 35, 27, 19, 11, 3,
    61, 53, 45, 37, 29, 21, 13, 5,
    63, 55, 47, 39, 31, 23, 15, 7};

constexpr BitTable<64> IP_inverse = {
    40, 8, 48, 16, 56, 24, 64, 32,
    39, 7, 47, 15, 55, 23, 63, 31,
    38, 6, 46, 14, 54, 22, 62, 30,
    37, 5, 45, 13, 53, 21, 61, 29,
    36, 4, 44, 12, 52, 20, 60, 28,
    35, 3, 43, 11, 51, 19, 59, 27,
    34, 2, 42, 10, 50, 18, 58, 26,
    33, 1, 41,  9, 49, 17, 57, 25};

// The cipher function f: E, the selection of 48 bits out of 32, and the permutation P.
constexpr BitTable<48> E = {
    32,  1,  2,  3,  4,  5,
     4,  5,  6,  7,  8,  9,
     8,  9, 10, 11, 12, 13,
    12, 13, 14, 15, 16, 17,
    16, 17, 18, 19, 20, 21,
    20, 21, 22, 23, 24, 25,
    24, 25, 26, 27, 28, 29,
    28, 29, 30, 31, 32,  1};

constexpr BitTable<32> P = {
    16,  7, 20, 21,
    29, 12, 28, 17,
     1, 15, 23, 26,
     5, 18, 31, 10,
     2,  8, 24, 14,
    32, 27,  3,  9,
    19, 13, 30,  6,
    22, 11,  4, 25};

// Appendix 1: the selection functions S1 to S8, each four rows of sixteen.
constexpr std::uint8_t S[8][4][16] = {
    {{14,  4, 13,  1,  2, 15, 11,  8,  3, 10,  6, 12,  5,  9,  0,  7},
     { 0, 15,  7,  4, 14,  2, 13,  1, 10,  6, 12, 11,  9,  5,  3,  8},
     { 4,  1, 14,  8, 13,  6,  2, 11, 15, 12,  9,  7,  3, 10,  5,  0},
     {15, 12,  8,  2,  4,  9,  1,  7,  5, 11,  3, 14, 10,  0,  6, 13}},
    {{15,  1,  8, 14,  6, 11,  3,  4,  9,  7,  2, 13, 12,  0,  5, 10},
     { 3, 13,  4,  7, 15,  2,  8, 14, 12,  0,  1, 10,  6,  9, 11,  5},
     { 0, 14,  7, 11, 10,  4, 13,  1,  5,  8, 12,  6,  9,  3,  2, 15},
     {13,  8, 10,  1,  3, 15,  4,  2, 11,  6,  7, 12,  0,  5, 14,  9}},
    {{10,  0,  9, 14,  6,  3, 15,  5,  1, 13, 12,  7, 11,  4,  2,  8},
     {13,  7,  0,  9,  3,  4,  6, 10,  2,  8,  5, 14, 12, 11, 15,  1},
     {13,  6,  4,  9,  8, 15,  3,  0, 11,  1,  2, 12,  5, 10, 14,  7},
     { 1, 10, 13,  0,  6,  9,  8,  7,  4, 15, 14,  3, 11,  5,  2, 12}},
    {{ 7, 13, 14,  3,  0,  6,  9, 10,  1,  2,  8,  5, 11, 12,  4, 15},
     {13,  8, 11,  5,  6, 15,  0,  3,  4,  7,  2, 12,  1, 10, 14,  9},
     {10,  6,  9,  0, 12, 11,  7, 13, 15,  1,  3, 14,  5,  2,  8,  4},
     { 3, 15,  0,  6, 10,  1, 13,  8,  9,  4,  5, 11, 12,  7,  2, 14}},
    {{ 2, 12,  4,  1,  7, 10, 11,  6,  8,  5,  3, 15, 13,  0, 14,  9},
     {14, 11,  2, 12,  4,  7, 13,  1,  5,  0, 15, 10,  3,  9,  8,  6},
     { 4,  2,  1, 11, 10, 13,  7,  8, 15,  9, 12,  5,  6,  3,  0, 14},
     {11,  8, 12,  7,  1, 14,  2, 13,  6, 15,  0,  9, 10,  4,  5,  3}},
    {{12,  1, 10, 15,  9,  2,  6,  8,  0, 13,  3,  4, 14,  7,  5, 11},
     {10, 15,  4,  2,  7, 12,  9,  5,  6,  1, 13, 14,  0, 11,  3,  8},
     { 9, 14, 15,  5,  2,  8, 12,  3,  7,  0,  4, 10,  1, 13, 11,  6},
     { 4,  3,  2, 12,  9,  5, 15, 10, 11, 14,  1,  7,  6,  0,  8, 13}},
    {{ 4, 11,  2, 14, 15,  0,  8, 13,  3, 12,  9,  7,  5, 10,  6,  1},
     {13,  0, 11,  7,  4,  9,  1, 10, 14,  3,  5, 12,  2, 15,  8,  6},
     { 1,  4, 11, 13, 12,  3,  7, 14, 10, 15,  6,  8,  0,  5,  9,  2},
     { 6, 11, 13,  8,  1,  4, 10,  7,  9,  5,  0, 15, 14,  2,  3, 12}},
    {{13,  2,  8,  4,  6, 15, 11,  1, 10,  9,  3, 14,  5,  0, 12,  7},
     { 1, 15, 13,  8, 10,  3,  7,  4, 12,  5,  6, 11,  0, 14,  9,  2},
     { 7, 11,  4,  1,  9, 12, 14,  2,  0,  6, 10, 13, 15,  3,  5,  8},
     { 2,  1, 14,  7,  4, 10,  8, 13, 15, 12,  9,  0,  3,  5,  6, 11}}};

// Appendix 1: the key schedule KS: permuted choice 1 (its first half is C0, its second D0), the number of left shifts before
// each of the sixteen keys, and permuted choice 2.
constexpr BitTable<56> PC_1 = {
    57, 49, 41, 33, 25, 17,  9,
     1, 58, 50, 42, 34, 26, 18,
    10,  2, 59, 51, 43, 35, 27,
    19, 11,  3, 60, 52, 44, 36,
    63, 55, 47, 39, 31, 23, 15,
     7, 62, 54, 46, 38, 30, 22,
    14,  6, 61, 53, 45, 37, 29,
    21, 13,  5, 28, 20, 12,  4};

constexpr BitTable<48> PC_2 = {
    14, 17, 11, 24,  1,  5,
     3, 28, 15,  6, 21, 10,
    23, 19, 12,  4, 26,  8,
    16,  7, 27, 20, 13,  2,
    41, 52, 31, 37, 47, 55,
    30, 40, 51, 45, 33, 48,
    44, 49, 39, 56, 34, 53,
    46, 42, 50, 36, 29, 32};

constexpr std::array<unsigned, 16> left_shifts = {1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1};

// clang-format on

// A table of FIPS 46-3 applied to a block of in_bits bits.
template <std::size_t out_bits>
constexpr std::uint64_t permute(const BitTable<out_bits>& table, unsigned in_bits, std::uint64_t in) {
  std::uint64_t out = 0;
  for (unsigned bit : table) out = out << 1 | (in >> (in_bits - bit) & 1);
  return out;
}

// The same, eight bits at a time: each output bit is one input bit, so the image of a block is the OR of the images of its
// bits, and those of all bytes are worked out once. The Monte Carlo tests make millions of blocks.
template <unsigned in_bits>
class BytewisePermutation {
 public:
  template <std::size_t out_bits>
  explicit constexpr BytewisePermutation(const BitTable<out_bits>& table) {
    for (unsigned i = 0; i < in_bits / 8; ++i) {
      for (unsigned bit = 0; bit < 8; ++bit)
        image_[i][1u << bit] = permute(table, in_bits, std::uint64_t{1} << (8 * i + bit));
      for (unsigned byte = 1; byte < 256; ++byte) {
        const unsigned rest = byte & (byte - 1);  // without its lowest 1 bit
        image_[i][byte] = image_[i][rest] | image_[i][byte ^ rest];
      }
    }
  }

  [[nodiscard]] constexpr std::uint64_t operator()(std::uint64_t in) const {
    std::uint64_t out = 0;
    for (unsigned i = 0; i < in_bits / 8; ++i) out |= image_[i][in >> (8 * i) & 0xff];
    return out;
  }

 private:
  std::uint64_t image_[in_bits / 8][256]{};
};

constexpr BytewisePermutation<64> apply_IP(IP);
constexpr BytewisePermutation<64> apply_IP_inverse(IP_inverse);
constexpr BytewisePermutation<32> apply_E(E);
constexpr BytewisePermutation<32> apply_P(P);

std::uint64_t load_big_endian(const std::uint8_t* bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value = value << 8 | bytes[i];
  return value;
}

void store_big_endian(std::uint64_t value, std::uint8_t* bytes) {
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(value >> (56 - 8 * i));
}

// S_i of six bits: the first and the last choose the row, the four between them the column.
std::uint64_t select(unsigned i, unsigned six_bits) {
  const unsigned row = (six_bits >> 4 & 2) | (six_bits & 1);
  const unsigned column = six_bits >> 1 & 15;
  return S[i][row][column];
}

// The cipher function f(R, K) = P(S1(B1) S2(B2) ... S8(B8)), where B1 B2 ... B8 = K xor E(R).
std::uint32_t f(std::uint32_t R, std::uint64_t K) {
  const std::uint64_t B = K ^ apply_E(R);
  std::uint64_t selected = 0;
  for (unsigned i = 0; i < 8; ++i) selected = selected << 4 | select(i, B >> (42 - 6 * i) & 0x3f);
  return static_cast<std::uint32_t>(apply_P(selected));
}

std::uint32_t rotate_left_28(std::uint32_t half, unsigned count) {
  return (half << count | half >> (28 - count)) & 0x0fffffff;
}

// Enciphering and deciphering: the same but for the order of the keys.
template <class Keys>
void crypt_block(Keys first, const std::uint8_t* in, std::uint8_t* out) {
  const std::uint64_t permuted = apply_IP(load_big_endian(in));
  auto L = static_cast<std::uint32_t>(permuted >> 32);
  auto R = static_cast<std::uint32_t>(permuted);
  for (unsigned n = 0; n < 16; ++n, ++first) {
    const std::uint32_t previous_R = R;
    R = L ^ f(R, *first);
    L = previous_R;
  }
  // The preoutput block is R16 L16.
  store_big_endian(apply_IP_inverse(std::uint64_t{R} << 32 | L), out);
}

}  // namespace

Des::Des(std::span<const std::uint8_t, key_bytes> key) {
  const std::uint64_t chosen = permute(PC_1, 64, load_big_endian(key.data()));
  auto C = static_cast<std::uint32_t>(chosen >> 28);
  auto D = static_cast<std::uint32_t>(chosen & 0x0fffffff);
  for (unsigned n = 0; n < 16; ++n) {
    C = rotate_left_28(C, left_shifts[n]);
    D = rotate_left_28(D, left_shifts[n]);
    ks_[n] = permute(PC_2, 56, std::uint64_t{C} << 28 | D);
  }
}

void Des::encrypt_block(const std::uint8_t* in, std::uint8_t* out) const { crypt_block(ks_.begin(), in, out); }
void Des::decrypt_block(const std::uint8_t* in, std::uint8_t* out) const { crypt_block(ks_.rbegin(), in, out); }

DoubleDes::DoubleDes(std::span<const std::uint8_t, key_bytes> key) : first_(key.first<8>()), second_(key.last<8>()) {}

void DoubleDes::encrypt_block(const std::uint8_t* in, std::uint8_t* out) const {
  first_.encrypt_block(in, out);
  second_.encrypt_block(out, out);
}

void DoubleDes::decrypt_block(const std::uint8_t* in, std::uint8_t* out) const {
  second_.decrypt_block(in, out);
  first_.decrypt_block(out, out);
}

TripleDes::TripleDes(std::span<const std::uint8_t, key_bytes> key)
    : first_(key.first<8>()), second_(key.subspan<8, 8>()), third_(key.last<8>()) {}

TripleDes::TripleDes(std::span<const std::uint8_t, two_key_bytes> key)
    : first_(key.first<8>()), second_(key.last<8>()), third_(key.first<8>()) {}

// SP 800-67 section 3.1: the forward operation, and the inverse operation.
void TripleDes::encrypt_block(const std::uint8_t* in, std::uint8_t* out) const {
  first_.encrypt_block(in, out);
  second_.decrypt_block(out, out);
  third_.encrypt_block(out, out);
}

void TripleDes::decrypt_block(const std::uint8_t* in, std::uint8_t* out) const {
  third_.decrypt_block(in, out);
  second_.encrypt_block(out, out);
  first_.decrypt_block(out, out);
}

}  // namespace phalanx::reference
