// Serpent with a key of 128 bits, in the bitslice form of the C code that the paper started from [6]: four words a block,
// each S-box as logic on whole words, no look-ups but those of the 132 words of key. The S-boxes' logic is ours (14 gates
// each, about), since that code is not; it is the same kind of logic.
#pragma once

#include "engine/ciphers/serpent/circuits/serpent_sbox_two_input_circuits.hpp"
#include "ported_word.hpp"

namespace papers {

/// A word with the operations that the circuits are written in.
struct LogicWord {
  Word bits;
  PORTED friend LogicWord operator&(LogicWord a, LogicWord b) { return {a.bits & b.bits}; }
  PORTED friend LogicWord operator|(LogicWord a, LogicWord b) { return {a.bits | b.bits}; }
  PORTED friend LogicWord operator^(LogicWord a, LogicWord b) { return {a.bits ^ b.bits}; }
  PORTED friend LogicWord operator~(LogicWord a) { return {~a.bits}; }
  PORTED friend LogicWord and_not(LogicWord a, LogicWord b) { return {a.bits & ~b.bits}; }
};

struct PortedSerpent {
  static constexpr const char* name = "Serpent";
  static constexpr const char* cipher = "serpent-128";

  Word round_keys[33][4];

  explicit PortedSerpent(const std::uint8_t key[16]);

  PORTED void encrypt(const Word in[4], Word out[4]) const;

 private:
  template <unsigned box>
  PORTED static void substitute(Word x[4]) {
    LogicWord words[4] = {{x[0]}, {x[1]}, {x[2]}, {x[3]}};
    phalanx::SerpentTwoInputBox<box, phalanx::Direction::encrypt>::apply(words);
    for (int i = 0; i < 4; ++i) x[i] = words[i].bits;
  }
  PORTED static void transform(Word x[4]);
  template <unsigned box>
  PORTED void round(Word x[4], int number) const;
  template <unsigned box>
  PORTED void make_key(const Word* prekeys, int number);
};

/// The linear transformation.
PORTED void PortedSerpent::transform(Word x[4]) {
  x[0] = rotate_left(x[0], 13);
  x[2] = rotate_left(x[2], 3);
  x[1] = rotate_left(x[1] ^ x[0] ^ x[2], 1);
  x[3] = rotate_left(x[3] ^ x[2] ^ (x[0] << 3), 7);
  x[0] = rotate_left(x[0] ^ x[1] ^ x[3], 5);
  x[2] = rotate_left(x[2] ^ x[3] ^ (x[1] << 7), 22);
}

template <unsigned box>
PORTED void PortedSerpent::round(Word x[4], int number) const {
  for (int i = 0; i < 4; ++i) x[i] ^= round_keys[number][i];
  substitute<box>(x);
  if (number < 31) transform(x);
}

template <unsigned box>
PORTED void PortedSerpent::make_key(const Word* prekeys, int number) {
  for (int i = 0; i < 4; ++i) round_keys[number][i] = prekeys[4 * number + i];
  substitute<box>(round_keys[number]);
}

inline PortedSerpent::PortedSerpent(const std::uint8_t key[16]) {
  Word w[140] = {};
  for (int i = 0; i < 16; ++i) w[i / 4] |= Word{key[i]} << (8 * (i % 4));
  w[4] = 1;  // the bit that makes a short key 256 bits long
  for (Word i = 8; i < 140; ++i) w[i] = rotate_left(w[i - 8] ^ w[i - 5] ^ w[i - 3] ^ w[i - 1] ^ 0x9e3779b9 ^ (i - 8), 11);
  const Word* prekeys = w + 8;
  for (int i = 0; i < 32; i += 8) {
    make_key<3>(prekeys, i);
    make_key<2>(prekeys, i + 1);
    make_key<1>(prekeys, i + 2);
    make_key<0>(prekeys, i + 3);
    make_key<7>(prekeys, i + 4);
    make_key<6>(prekeys, i + 5);
    make_key<5>(prekeys, i + 6);
    make_key<4>(prekeys, i + 7);
  }
  make_key<3>(prekeys, 32);
}

PORTED void PortedSerpent::encrypt(const Word in[4], Word out[4]) const {
  Word x[4] = {in[0], in[1], in[2], in[3]};
  PHALANX_UNROLL
  for (int i = 0; i < 32; i += 8) {
    round<0>(x, i);
    round<1>(x, i + 1);
    round<2>(x, i + 2);
    round<3>(x, i + 3);
    round<4>(x, i + 4);
    round<5>(x, i + 5);
    round<6>(x, i + 6);
    round<7>(x, i + 7);
  }
  PHALANX_UNROLL
  for (int i = 0; i < 4; ++i) out[i] = x[i] ^ round_keys[32][i];
}

}  // namespace papers
