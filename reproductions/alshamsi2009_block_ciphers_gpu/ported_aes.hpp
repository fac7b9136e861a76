// AES-128 by five tables of words, the way of the "fast" C code that the paper's AES came from [5]: Te0 to Te3 join SubBytes
// and MixColumns (FIPS 197), Te4 is the S-box in every byte of a word, for the last round. 160 look-ups a block.
#pragma once

#include "ported_word.hpp"

namespace papers {

struct PortedAes {
  static constexpr const char* name = "AES";
  static constexpr const char* cipher = "aes-128";

  Word Te[5][256];
  Word round_keys[44];

  explicit PortedAes(const std::uint8_t key[16]);

  PORTED void encrypt(const Word in[4], Word out[4]) const;
};

/// The S-box of FIPS 197, section 5.1.1: the inverse in GF(2^8), then the affine transformation.
inline Word aes_substitute(Word x) {
  Word inverse = 0;
  for (Word y = 1; y < 256; ++y) {
    if (field_product(x, y, 0x11b) == 1) inverse = y;
  }
  Word result = 0x63;
  for (int i = 0; i < 5; ++i) result ^= inverse << i | inverse >> (8 - i);
  return result & 0xff;
}

inline PortedAes::PortedAes(const std::uint8_t key[16]) {
  for (Word x = 0; x < 256; ++x) {
    const Word s = aes_substitute(x);
    const Word column = field_product(s, 2, 0x11b) << 24 | s << 16 | s << 8 | field_product(s, 3, 0x11b);
    for (int i = 0; i < 4; ++i) Te[i][x] = i == 0 ? column : rotate_left(column, 32 - 8 * i);
    Te[4][x] = s * 0x01010101;
  }
  for (int i = 0; i < 4; ++i) {
    round_keys[i] = Word{key[4 * i]} << 24 | Word{key[4 * i + 1]} << 16 | Word{key[4 * i + 2]} << 8 | key[4 * i + 3];
  }
  Word rcon = 1;
  for (int i = 4; i < 44; ++i) {  // section 5.2
    Word temp = round_keys[i - 1];
    if (i % 4 == 0) {
      const Word turned = rotate_left(temp, 8);
      temp = rcon << 24;
      for (int j = 0; j < 4; ++j) temp ^= Te[4][byte_of(turned, j)] & (Word{0xff} << (8 * j));
      rcon = field_product(rcon, 2, 0x11b);
    }
    round_keys[i] = round_keys[i - 4] ^ temp;
  }
}

PORTED void PortedAes::encrypt(const Word in[4], Word out[4]) const {
  Word s[4];
  Word t[4];
  PHALANX_UNROLL
  for (int i = 0; i < 4; ++i) s[i] = swap_bytes(in[i]) ^ round_keys[i];
  PHALANX_UNROLL
  for (int round = 1; round < 10; ++round) {
    PHALANX_UNROLL
    for (int i = 0; i < 4; ++i) {
      t[i] = Te[0][byte_of(s[i], 3)] ^ Te[1][byte_of(s[(i + 1) % 4], 2)] ^ Te[2][byte_of(s[(i + 2) % 4], 1)] ^
             Te[3][byte_of(s[(i + 3) % 4], 0)] ^ round_keys[4 * round + i];
    }
    PHALANX_UNROLL
    for (int i = 0; i < 4; ++i) s[i] = t[i];
  }
  PHALANX_UNROLL
  for (int i = 0; i < 4; ++i) {
    t[i] = (Te[4][byte_of(s[i], 3)] & 0xff000000) ^ (Te[4][byte_of(s[(i + 1) % 4], 2)] & 0x00ff0000) ^
           (Te[4][byte_of(s[(i + 2) % 4], 1)] & 0x0000ff00) ^ (Te[4][byte_of(s[(i + 3) % 4], 0)] & 0x000000ff);
    out[i] = swap_bytes(t[i] ^ round_keys[40 + i]);
  }
}

}  // namespace papers
