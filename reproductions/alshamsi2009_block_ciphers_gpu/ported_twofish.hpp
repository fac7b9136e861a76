// Twofish with a key of 128 bits, by the keyed tables of the C code that the paper started from [7]: the four key-dependent
// S-boxes with the MDS matrix worked in, 4 x 256 words made once for a key. 128 look-ups a block.
#pragma once

#include "ported_word.hpp"

namespace papers {

struct PortedTwofish {
  static constexpr const char* name = "Twofish";
  static constexpr const char* cipher = "twofish-128";

  Word keyed_tables[4][256];
  Word round_keys[40];

  explicit PortedTwofish(const std::uint8_t key[16]);

  PORTED void encrypt(const Word in[4], Word out[4]) const;

 private:
  PORTED Word g(Word x) const {
    return keyed_tables[0][byte_of(x, 0)] ^ keyed_tables[1][byte_of(x, 1)] ^ keyed_tables[2][byte_of(x, 2)] ^
           keyed_tables[3][byte_of(x, 3)];
  }
};

/// q0 and q1 of the Twofish paper, section 4.3.5, from their tables of four bits t0 to t3: nibble x of a table is digit x
/// from the left.
inline Word twofish_q(int number, Word x) {
  static constexpr std::uint64_t t[2][4] = {
      {0x817d6f320b59eca4, 0xecb81235f4a6709d, 0xba5e6d90c8f32471, 0xd7f4126e9b3085ca},
      {0x28bdf76e31940ac5, 0x1e2b4c376da5f908, 0x4c75169a0ed82b3f, 0xb951c3de647f208a}};
  const auto look_up = [&](int table, Word nibble) { return static_cast<Word>(t[number][table] >> (60 - 4 * nibble)) & 15; };
  Word a = x >> 4;
  Word b = x & 15;
  for (int table = 0; table < 4; table += 2) {
    const Word sum = a ^ b;
    const Word other = (a ^ ((b >> 1) | (b << 3)) ^ (a << 3)) & 15;
    a = look_up(table, sum);
    b = look_up(table + 1, other);
  }
  return b << 4 | a;
}

/// h of section 4.3.2 for a key of two words, one byte of it: column `j` of the MDS matrix times q(q(q(x) ^ L1) ^ L0).
inline Word twofish_h_column(int j, Word x, Word L0, Word L1) {
  static constexpr int q_order[3][4] = {{0, 1, 0, 1}, {0, 0, 1, 1}, {1, 0, 1, 0}};
  static constexpr Word mds[4][4] = {
      {0x01, 0xef, 0x5b, 0x5b}, {0x5b, 0xef, 0xef, 0x01}, {0xef, 0x5b, 0x01, 0xef}, {0xef, 0x01, 0xef, 0x5b}};
  const Word inner = twofish_q(q_order[0][j], x) ^ byte_of(L1, j);
  const Word middle = twofish_q(q_order[1][j], inner) ^ byte_of(L0, j);
  const Word y = twofish_q(q_order[2][j], middle);
  Word column = 0;
  for (int i = 0; i < 4; ++i) column |= field_product(mds[i][j], y, 0x169) << (8 * i);
  return column;
}

inline PortedTwofish::PortedTwofish(const std::uint8_t key[16]) {
  static constexpr Word rs[4][8] = {{0x01, 0xa4, 0x55, 0x87, 0x5a, 0x58, 0xdb, 0x9e},
                                    {0xa4, 0x56, 0x82, 0xf3, 0x1e, 0xc6, 0x68, 0xe5},
                                    {0x02, 0xa1, 0xfc, 0xc1, 0x47, 0xae, 0x3d, 0x19},
                                    {0xa4, 0x55, 0x87, 0x5a, 0x58, 0xdb, 0x9e, 0x03}};
  Word M[4] = {};
  Word S[2] = {};
  for (int i = 0; i < 16; ++i) M[i / 4] |= Word{key[i]} << (8 * (i % 4));
  for (int i = 0; i < 2; ++i) {
    for (int row = 0; row < 4; ++row) {
      for (int j = 0; j < 8; ++j) S[i] ^= field_product(rs[row][j], key[8 * i + j], 0x14d) << (8 * row);
    }
  }
  const auto h = [](Word x, Word L0, Word L1) {
    Word sum = 0;
    for (int j = 0; j < 4; ++j) sum ^= twofish_h_column(j, x, L0, L1);
    return sum;
  };
  for (Word i = 0; i < 20; ++i) {
    const Word A = h(2 * i, M[0], M[2]);
    const Word B = rotate_left(h(2 * i + 1, M[1], M[3]), 8);
    round_keys[2 * i] = A + B;
    round_keys[2 * i + 1] = rotate_left(A + 2 * B, 9);
  }
  for (int j = 0; j < 4; ++j) {
    for (Word x = 0; x < 256; ++x) keyed_tables[j][x] = twofish_h_column(j, x, S[1], S[0]);
  }
}

PORTED void PortedTwofish::encrypt(const Word in[4], Word out[4]) const {
  Word a = in[0] ^ round_keys[0];
  Word b = in[1] ^ round_keys[1];
  Word c = in[2] ^ round_keys[2];
  Word d = in[3] ^ round_keys[3];
  PHALANX_UNROLL
  for (int round = 0; round < 16; ++round) {
    const Word t0 = g(a);
    const Word t1 = g(rotate_left(b, 8));
    const Word next_a = rotate_left(c ^ (t0 + t1 + round_keys[2 * round + 8]), 31);
    const Word next_b = rotate_left(d, 1) ^ (t0 + 2 * t1 + round_keys[2 * round + 9]);
    c = a;
    d = b;
    a = next_a;
    b = next_b;
  }
  out[0] = c ^ round_keys[4];
  out[1] = d ^ round_keys[5];
  out[2] = a ^ round_keys[6];
  out[3] = b ^ round_keys[7];
}

}  // namespace papers
