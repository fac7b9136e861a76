#include "reference/plain_serpent.hpp"

#include <bit>
#include <stdexcept>

namespace phalanx::reference {
namespace {

using Words = Serpent::Words;

// The S-boxes S0 to S7: permutations of the numbers 0 to 15.
// clang-format off
constexpr std::uint8_t S[8][16] = {
    { 3,  8, 15,  1, 10,  6,  5, 11, 14, 13,  4,  2,  7,  0,  9, 12},
    {15, 12,  2,  7,  9,  0,  5, 10,  1, 11, 14,  8,  6, 13,  3,  4},
    { 8,  6,  7,  9,  3, 12, 10, 15, 13,  1, 14,  4,  0, 11,  5,  2},
    { 0, 15, 11,  8, 12,  9,  6,  3, 13,  1,  2,  4, 10,  7,  5, 14},
    { 1, 15,  8,  3, 12,  0, 11,  6,  2,  5,  4, 10,  9, 14,  7, 13},
    {15,  5,  2, 11,  4, 10,  9, 12,  0,  3, 14,  8, 13,  6,  7,  1},
    { 7,  2, 12,  5,  8,  4,  6, 11, 14,  9,  1, 15, 13,  3, 10,  0},
    { 1, 13, 15,  0, 14,  8,  2, 11,  7,  4, 12, 10,  9,  3,  5,  6}};
// clang-format on

struct InverseSBoxes {
  std::uint8_t table[8][16]{};
  constexpr InverseSBoxes() {
    for (unsigned i = 0; i < 8; ++i) {
      for (std::uint8_t x = 0; x < 16; ++x) table[i][S[i][x]] = x;
    }
  }
};

constexpr InverseSBoxes S_inverse;

std::uint32_t load_little_endian(const std::uint8_t* bytes) {
  return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8 |
         static_cast<std::uint32_t>(bytes[2]) << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
}

Words load_words(const std::uint8_t* in) {
  Words X;
  for (unsigned i = 0; i < 4; ++i) X[i] = load_little_endian(in + 4 * i);
  return X;
}

void store_words(const Words& X, std::uint8_t* out) {
  for (unsigned i = 0; i < 16; ++i) out[i] = static_cast<std::uint8_t>(X[i / 4] >> (8 * (i % 4)));
}

// An S-box, 32 times at once: bit j of X0, X1, X2, X3 is its j-th input, X0 the least significant bit. (In this form, the
// paper's bitslice form, the initial and the final permutation are the identity.) For each of the 16 possible inputs we mark
// the places j where it stands, and set there the bits of its output.
Words substitute(const std::uint8_t (&box)[16], const Words& X) {
  Words Y{};
  for (unsigned x = 0; x < 16; ++x) {
    std::uint32_t places = ~std::uint32_t{0};
    for (unsigned i = 0; i < 4; ++i) places &= (x >> i & 1) ? X[i] : ~X[i];
    for (unsigned i = 0; i < 4; ++i) {
      if (box[x] >> i & 1) Y[i] |= places;
    }
  }
  return Y;
}

Words mix_key(Words X, const Words& K) {
  for (unsigned i = 0; i < 4; ++i) X[i] ^= K[i];
  return X;
}

// The linear transformation LT.
Words LT(Words X) {
  X[0] = std::rotl(X[0], 13);
  X[2] = std::rotl(X[2], 3);
  X[1] = X[1] ^ X[0] ^ X[2];
  X[3] = X[3] ^ X[2] ^ X[0] << 3;
  X[1] = std::rotl(X[1], 1);
  X[3] = std::rotl(X[3], 7);
  X[0] = X[0] ^ X[1] ^ X[3];
  X[2] = X[2] ^ X[3] ^ X[1] << 7;
  X[0] = std::rotl(X[0], 5);
  X[2] = std::rotl(X[2], 22);
  return X;
}

// Its inverse: the same steps undone from the last to the first.
Words LT_inverse(Words X) {
  X[2] = std::rotr(X[2], 22);
  X[0] = std::rotr(X[0], 5);
  X[2] = X[2] ^ X[3] ^ X[1] << 7;
  X[0] = X[0] ^ X[1] ^ X[3];
  X[3] = std::rotr(X[3], 7);
  X[1] = std::rotr(X[1], 1);
  X[3] = X[3] ^ X[2] ^ X[0] << 3;
  X[1] = X[1] ^ X[0] ^ X[2];
  X[2] = std::rotr(X[2], 3);
  X[0] = std::rotr(X[0], 13);
  return X;
}

}  // namespace

// The key schedule. A short key is made 256 bits long by one 1 bit, just above its most significant bit, and 0 bits. Then
// the affine recurrence gives the prekeys w0 to w131 (here w[8] to w[139]: the key itself is w-8 to w-1), and the S-boxes,
// from S3 downwards, turn them into the subkeys.
Serpent::Serpent(Bytes key) {
  if (key.size() != 16 && key.size() != 24 && key.size() != 32) {
    throw std::invalid_argument("a Serpent key has 16, 24 or 32 bytes");
  }
  std::array<std::uint8_t, 33> padded{};
  for (std::size_t i = 0; i < key.size(); ++i) padded[i] = key[i];
  padded[key.size()] = 1;  // beyond the 256 bits that are read if the key is that long already

  constexpr std::uint32_t phi = 0x9e3779b9;  // the fraction of the golden ratio
  std::array<std::uint32_t, 140> w{};
  for (unsigned i = 0; i < 8; ++i) w[i] = load_little_endian(&padded[4 * i]);
  for (unsigned i = 0; i < 132; ++i) w[i + 8] = std::rotl(w[i] ^ w[i + 3] ^ w[i + 5] ^ w[i + 7] ^ phi ^ i, 11);

  for (unsigned i = 0; i < 33; ++i) {
    const std::uint32_t* prekeys = &w[8 + 4 * i];
    K_[i] = substitute(S[(35 - i) % 8], {prekeys[0], prekeys[1], prekeys[2], prekeys[3]});
  }
}

// The 32 rounds: mix in the subkey, the S-boxes, the linear transformation; in the last one a second subkey instead.
void Serpent::encrypt_block(const std::uint8_t* in, std::uint8_t* out) const {
  Words B = load_words(in);
  for (unsigned i = 0; i < 31; ++i) B = LT(substitute(S[i % 8], mix_key(B, K_[i])));
  B = mix_key(substitute(S[7], mix_key(B, K_[31])), K_[32]);
  store_words(B, out);
}

void Serpent::decrypt_block(const std::uint8_t* in, std::uint8_t* out) const {
  Words B = load_words(in);
  B = mix_key(substitute(S_inverse.table[7], mix_key(B, K_[32])), K_[31]);
  for (unsigned i = 31; i-- > 0;) B = mix_key(substitute(S_inverse.table[i % 8], LT_inverse(B)), K_[i]);
  store_words(B, out);
}

}  // namespace phalanx::reference
