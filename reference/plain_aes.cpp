#include "reference/plain_aes.hpp"

#include <bit>
#include <stdexcept>

namespace phalanx::reference {
namespace {

using Byte = std::uint8_t;
using Word = std::array<Byte, 4>;
using ByteTable = std::array<Byte, 256>;

// Section 3.4: the state is four rows of four bytes; input byte r + 4c is s[r][c].
using State = std::array<std::array<Byte, 4>, 4>;

// Section 4.2: multiplication in GF(2^8), modulo x^8 + x^4 + x^3 + x + 1. xtimes multiplies by x.
constexpr Byte xtimes(Byte b) { return static_cast<Byte>(b << 1 ^ (b >> 7) * 0x1b); }

constexpr Byte multiply(Byte a, Byte b) {
  Byte product = 0;
  for (; b != 0; b >>= 1, a = xtimes(a)) {
    if (b & 1) product ^= a;
  }
  return product;
}

constexpr ByteTable multiples_of(Byte factor) {
  ByteTable table{};
  for (unsigned b = 0; b < 256; ++b) table[b] = multiply(static_cast<Byte>(b), factor);
  return table;
}

constexpr ByteTable times_02 = multiples_of(0x02), times_03 = multiples_of(0x03), times_09 = multiples_of(0x09),
                    times_0b = multiples_of(0x0b), times_0d = multiples_of(0x0d), times_0e = multiples_of(0x0e);

// Section 5.1.1: SBOX(b) is the multiplicative inverse of b (0 for 0) followed by an affine map of its bits. The inverse is
// b^254 = b^2 b^4 ... b^128.
constexpr Byte sbox_of(Byte b) {
  Byte inverse = 1;
  Byte power = b;
  for (unsigned i = 0; i < 7; ++i) {
    power = multiply(power, power);
    inverse = multiply(inverse, power);
  }
  Byte result = 0x63;
  for (int i = 0; i < 5; ++i) result ^= std::rotl(inverse, i);
  return result;
}

struct SBoxes {
  ByteTable forward{}, inverse{};
  constexpr SBoxes() {
    for (unsigned b = 0; b < 256; ++b) {
      forward[b] = sbox_of(static_cast<Byte>(b));
      inverse[forward[b]] = static_cast<Byte>(b);
    }
  }
};

constexpr SBoxes sbox;

State load_state(const Byte* in) {
  State s;
  for (unsigned i = 0; i < 16; ++i) s[i % 4][i / 4] = in[i];
  return s;
}

void store_state(const State& s, Byte* out) {
  for (unsigned i = 0; i < 16; ++i) out[i] = s[i % 4][i / 4];
}

// Section 5.1.1 SUBBYTES and 5.3.2 INVSUBBYTES.
void sub_bytes(State& s, const ByteTable& table) {
  for (auto& row : s) {
    for (Byte& b : row) b = table[b];
  }
}

// Section 5.1.2: row r moves left by r places.
void shift_rows(State& s) {
  const State before = s;
  for (unsigned r = 0; r < 4; ++r) {
    for (unsigned c = 0; c < 4; ++c) s[r][c] = before[r][(c + r) % 4];
  }
}

// Section 5.3.1: row r moves right by r places.
void inv_shift_rows(State& s) {
  const State before = s;
  for (unsigned r = 0; r < 4; ++r) {
    for (unsigned c = 0; c < 4; ++c) s[r][(c + r) % 4] = before[r][c];
  }
}

// Section 5.1.3: each column times the circulant matrix of 02 03 01 01.
void mix_columns(State& s) {
  const State before = s;
  for (unsigned c = 0; c < 4; ++c) {
    for (unsigned r = 0; r < 4; ++r) {
      s[r][c] = times_02[before[r][c]] ^ times_03[before[(r + 1) % 4][c]] ^ before[(r + 2) % 4][c] ^ before[(r + 3) % 4][c];
    }
  }
}

// Section 5.3.3: each column times the circulant matrix of 0e 0b 0d 09.
void inv_mix_columns(State& s) {
  const State before = s;
  for (unsigned c = 0; c < 4; ++c) {
    for (unsigned r = 0; r < 4; ++r) {
      s[r][c] = times_0e[before[r][c]] ^ times_0b[before[(r + 1) % 4][c]] ^ times_0d[before[(r + 2) % 4][c]] ^
                times_09[before[(r + 3) % 4][c]];
    }
  }
}

// Section 5.1.4: column c of the state and word c of the round key.
void add_round_key(State& s, const Word* round_key) {
  for (unsigned r = 0; r < 4; ++r) {
    for (unsigned c = 0; c < 4; ++c) s[r][c] ^= round_key[c][r];
  }
}

// Section 5.2.
Word rot_word(const Word& a) { return {a[1], a[2], a[3], a[0]}; }

Word sub_word(Word a) {
  for (Byte& b : a) b = sbox.forward[b];
  return a;
}

}  // namespace

// Section 5.2, KEYEXPANSION: Nk words of key become 4 (Nr + 1) words.
Aes::Aes(Bytes key) {
  if (key.size() != 16 && key.size() != 24 && key.size() != 32) {
    throw std::invalid_argument("an AES key has 16, 24 or 32 bytes");
  }
  const auto Nk = static_cast<unsigned>(key.size() / 4);
  Nr_ = Nk + 6;
  for (unsigned i = 0; i < 4 * Nk; ++i) w_[i / 4][i % 4] = key[i];
  Byte Rcon = 0x01;
  for (unsigned i = Nk; i < 4 * (Nr_ + 1); ++i) {
    Word temp = w_[i - 1];
    if (i % Nk == 0) {
      temp = sub_word(rot_word(temp));
      temp[0] ^= Rcon;
      Rcon = xtimes(Rcon);
    } else if (Nk > 6 && i % Nk == 4) {
      temp = sub_word(temp);
    }
    for (unsigned j = 0; j < 4; ++j) w_[i][j] = w_[i - Nk][j] ^ temp[j];
  }
}

// Section 5.1, CIPHER.
void Aes::encrypt_block(const std::uint8_t* in, std::uint8_t* out) const {
  State s = load_state(in);
  add_round_key(s, &w_[0]);
  for (unsigned round = 1; round < Nr_; ++round) {
    sub_bytes(s, sbox.forward);
    shift_rows(s);
    mix_columns(s);
    add_round_key(s, &w_[4 * round]);
  }
  sub_bytes(s, sbox.forward);
  shift_rows(s);
  add_round_key(s, &w_[4 * Nr_]);
  store_state(s, out);
}

// Section 5.3, INVCIPHER.
void Aes::decrypt_block(const std::uint8_t* in, std::uint8_t* out) const {
  State s = load_state(in);
  add_round_key(s, &w_[4 * Nr_]);
  for (unsigned round = Nr_ - 1; round >= 1; --round) {
    inv_shift_rows(s);
    sub_bytes(s, sbox.inverse);
    add_round_key(s, &w_[4 * round]);
    inv_mix_columns(s);
  }
  inv_shift_rows(s);
  sub_bytes(s, sbox.inverse);
  add_round_key(s, &w_[0]);
  store_state(s, out);
}

}  // namespace phalanx::reference
