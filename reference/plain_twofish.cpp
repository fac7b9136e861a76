#include "reference/plain_twofish.hpp"

#include <bit>
#include <stdexcept>

namespace phalanx::reference {
namespace {

using Nibbles = std::array<std::uint8_t, 16>;
using ByteTable = std::array<std::uint8_t, 256>;
using WordList = std::vector<std::uint32_t>;

// Section 4.3.5: the permutations q0 and q1, each made of four tables of four bits.
// clang-format off
constexpr std::array<Nibbles, 4> t_of_q0 = {{
    {0x8, 0x1, 0x7, 0xd, 0x6, 0xf, 0x3, 0x2, 0x0, 0xb, 0x5, 0x9, 0xe, 0xc, 0xa, 0x4},
    {0xe, 0xc, 0xb, 0x8, 0x1, 0x2, 0x3, 0x5, 0xf, 0x4, 0xa, 0x6, 0x7, 0x0, 0x9, 0xd},
    {0xb, 0xa, 0x5, 0xe, 0x6, 0xd, 0x9, 0x0, 0xc, 0x8, 0xf, 0x3, 0x2, 0x4, 0x7, 0x1},
    {0xd, 0x7, 0xf, 0x4, 0x1, 0x2, 0x6, 0xe, 0x9, 0xb, 0x3, 0x0, 0x8, 0x5, 0xc, 0xa}}};

constexpr std::array<Nibbles, 4> t_of_q1 = {{
    {0x2, 0x8, 0xb, 0xd, 0xf, 0x7, 0x6, 0xe, 0x3, 0x1, 0x9, 0x4, 0x0, 0xa, 0xc, 0x5},
    {0x1, 0xe, 0x2, 0xb, 0x4, 0xc, 0x3, 0x7, 0x6, 0xd, 0xa, 0x5, 0xf, 0x9, 0x0, 0x8},
    {0x4, 0xc, 0x7, 0x5, 0x1, 0x6, 0x9, 0xa, 0x0, 0xe, 0xd, 0x8, 0x2, 0xb, 0x3, 0xf},
    {0xb, 0x9, 0x5, 0x1, 0xc, 0x3, 0xd, 0xe, 0x6, 0x4, 0x7, 0xf, 0x2, 0x0, 0x8, 0xa}}};
// clang-format on

// ROR4(b, 1).
constexpr unsigned rotate_right_4(unsigned b) { return (b >> 1 | b << 3) & 15; }

constexpr std::uint8_t q(const std::array<Nibbles, 4>& t, unsigned x) {
  const unsigned a0 = x / 16, b0 = x % 16;
  const unsigned a1 = a0 ^ b0, b1 = (a0 ^ rotate_right_4(b0) ^ 8 * a0) % 16;
  const unsigned a2 = t[0][a1], b2 = t[1][b1];
  const unsigned a3 = a2 ^ b2, b3 = (a2 ^ rotate_right_4(b2) ^ 8 * a2) % 16;
  const unsigned a4 = t[2][a3], b4 = t[3][b3];
  return static_cast<std::uint8_t>(16 * b4 + a4);
}

constexpr ByteTable table_of(const std::array<Nibbles, 4>& t) {
  ByteTable table{};
  for (unsigned x = 0; x < 256; ++x) table[x] = q(t, x);
  return table;
}

constexpr ByteTable q0 = table_of(t_of_q0), q1 = table_of(t_of_q1);

// Multiplication in GF(2^8) modulo a primitive polynomial of degree 8, given by its bits.
constexpr std::uint8_t multiply(unsigned a, unsigned b, unsigned polynomial) {
  unsigned product = 0;
  for (; b != 0; b >>= 1) {
    if (b & 1) product ^= a;
    a <<= 1;
    if (a & 0x100) a ^= polynomial;
  }
  return static_cast<std::uint8_t>(product);
}

// Section 4.2: the MDS matrix, over GF(2^8) modulo v(x) = x^8 + x^6 + x^5 + x^3 + 1.
constexpr unsigned v = 0x169;
constexpr std::uint8_t MDS[4][4] = {
    {0x01, 0xef, 0x5b, 0x5b}, {0x5b, 0xef, 0xef, 0x01}, {0xef, 0x5b, 0x01, 0xef}, {0xef, 0x01, 0xef, 0x5b}};

// Section 4.3: the RS matrix, over GF(2^8) modulo w(x) = x^8 + x^6 + x^3 + x^2 + 1.
constexpr unsigned w = 0x14d;
constexpr std::uint8_t RS[4][8] = {{0x01, 0xa4, 0x55, 0x87, 0x5a, 0x58, 0xdb, 0x9e},
                                   {0xa4, 0x56, 0x82, 0xf3, 0x1e, 0xc6, 0x68, 0xe5},
                                   {0x02, 0xa1, 0xfc, 0xc1, 0x47, 0xae, 0x3d, 0x19},
                                   {0xa4, 0x55, 0x87, 0x5a, 0x58, 0xdb, 0x9e, 0x03}};

// Column j of the MDS matrix times each byte, as a word with row 0 in its least significant byte.
using MdsColumns = std::array<std::array<std::uint32_t, 256>, 4>;

constexpr MdsColumns make_mds_columns() {
  MdsColumns columns{};
  for (unsigned j = 0; j < 4; ++j) {
    for (unsigned y = 0; y < 256; ++y) {
      for (unsigned i = 0; i < 4; ++i) columns[j][y] |= std::uint32_t{multiply(MDS[i][j], y, v)} << (8 * i);
    }
  }
  return columns;
}

constexpr MdsColumns mds_columns = make_mds_columns();

std::uint8_t byte_of(std::uint32_t word, unsigned i) { return static_cast<std::uint8_t>(word >> (8 * i)); }

std::uint32_t load_little_endian(const std::uint8_t* bytes) {
  std::uint32_t word = 0;
  for (unsigned i = 4; i-- > 0;) word = word << 8 | bytes[i];
  return word;
}

// Section 4.3.2, the function h: X goes through as many stages of q and key words L as the key has, then through the MDS
// matrix.
std::uint32_t h(std::uint32_t X, const WordList& L) {
  // Which of q0 and q1 each byte meets: row k is the stage whose result is XORed with L[k].
  static constexpr const ByteTable* stages[4][4] = {
      {&q0, &q0, &q1, &q1}, {&q0, &q1, &q0, &q1}, {&q1, &q1, &q0, &q0}, {&q1, &q0, &q0, &q1}};
  static constexpr const ByteTable* last[4] = {&q1, &q0, &q1, &q0};

  std::uint8_t y[4] = {byte_of(X, 0), byte_of(X, 1), byte_of(X, 2), byte_of(X, 3)};
  for (std::size_t k = L.size(); k-- > 0;) {
    for (unsigned j = 0; j < 4; ++j) y[j] = (*stages[k][j])[y[j]] ^ byte_of(L[k], j);
  }
  std::uint32_t Z = 0;
  for (unsigned j = 0; j < 4; ++j) Z ^= mds_columns[j][(*last[j])[y[j]]];
  return Z;
}

// Section 4.3: one word of S from eight bytes of key.
std::uint32_t multiply_by_RS(const std::uint8_t* m) {
  std::uint32_t S = 0;
  for (unsigned i = 0; i < 4; ++i) {
    std::uint8_t s = 0;
    for (unsigned j = 0; j < 8; ++j) s ^= multiply(RS[i][j], m[j], w);
    S |= std::uint32_t{s} << (8 * i);
  }
  return S;
}

}  // namespace

// Section 4.3, the key schedule.
Twofish::Twofish(Bytes key) {
  if (key.size() != 16 && key.size() != 24 && key.size() != 32) {
    throw std::invalid_argument("a Twofish key has 16, 24 or 32 bytes");
  }
  WordList M_even, M_odd;
  for (std::size_t i = 0; i < key.size(); i += 8) {
    M_even.push_back(load_little_endian(&key[i]));
    M_odd.push_back(load_little_endian(&key[i + 4]));
    S_.insert(S_.begin(), multiply_by_RS(&key[i]));  // S lists its words in reverse order
  }
  constexpr std::uint32_t rho = 0x01010101;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const std::uint32_t A = h(2 * i * rho, M_even);
    const std::uint32_t B = std::rotl(h((2 * i + 1) * rho, M_odd), 8);
    K_[2 * i] = A + B;
    K_[2 * i + 1] = std::rotl(A + 2 * B, 9);
  }
}

// Section 4.2, the function g.
std::uint32_t Twofish::g(std::uint32_t X) const { return h(X, S_); }

// Section 4.1, the function F of round r.
Twofish::F Twofish::round_function(std::uint32_t R0, std::uint32_t R1, unsigned r) const {
  const std::uint32_t T0 = g(R0);
  const std::uint32_t T1 = g(std::rotl(R1, 8));
  return {T0 + T1 + K_[2 * r + 8], T0 + 2 * T1 + K_[2 * r + 9]};
}

// Section 4: input whitening, sixteen rounds, the last swap undone, output whitening.
void Twofish::encrypt_block(const std::uint8_t* in, std::uint8_t* out) const {
  std::array<std::uint32_t, 4> R;
  for (unsigned i = 0; i < 4; ++i) R[i] = load_little_endian(in + 4 * i) ^ K_[i];
  for (unsigned r = 0; r < 16; ++r) {
    const auto [F0, F1] = round_function(R[0], R[1], r);
    R = {std::rotr(R[2] ^ F0, 1), std::rotl(R[3], 1) ^ F1, R[0], R[1]};
  }
  for (unsigned i = 0; i < 16; ++i) out[i] = byte_of(R[(i / 4 + 2) % 4] ^ K_[i / 4 + 4], i % 4);
}

// The same steps undone from the last to the first.
void Twofish::decrypt_block(const std::uint8_t* in, std::uint8_t* out) const {
  std::array<std::uint32_t, 4> R;
  for (unsigned i = 0; i < 4; ++i) R[(i + 2) % 4] = load_little_endian(in + 4 * i) ^ K_[i + 4];
  for (unsigned r = 16; r-- > 0;) {
    const auto [F0, F1] = round_function(R[2], R[3], r);
    R = {R[2], R[3], std::rotl(R[0], 1) ^ F0, std::rotr(R[1] ^ F1, 1)};
  }
  for (unsigned i = 0; i < 16; ++i) out[i] = byte_of(R[i / 4] ^ K_[i / 4], i % 4);
}

}  // namespace phalanx::reference
