// AESENC, AESENCLAST, AESDEC, AESDECLAST and AESIMC in every 128-bit element of a register, by their definitions in the Intel
// SDM volume 2, chapter 3, and volume 1, section 12.13 (figures 12-5 to 12-8 and table 12-2 on): written apart from what
// proofs compare with (aes/aes_specification.cpp), and with an S-box that is computed and no table of anyone's.
#pragma once

#include <array>
#include <map>

#include "outside_cores/recorded_register.hpp"

namespace prove {

/// A byte in the field of polynomials modulo x^8 + x^4 + x^3 + x + 1, times x.
constexpr unsigned aes_doubled(unsigned x) { return (x << 1 ^ (x >> 7) * 0x11b) & 0xff; }
constexpr unsigned aes_product(unsigned x, unsigned y) {
  unsigned product = 0;
  for (; y != 0; y >>= 1, x = aes_doubled(x)) product ^= (y & 1) * x;
  return product;
}

/// SubBytes of every byte, or InvSubBytes: the inverse in the field, then bits added crosswise, and {63}.
constexpr std::array<std::uint8_t, 256> aes_substitutions(bool inverse) {
  std::array<std::uint8_t, 256> table{};
  unsigned x = 1;  // a power of {03}, all of which are all bytes but 0, and the inverse of that power, one of {f6}
  unsigned reciprocal = 1;
  for (unsigned i = 0; i < 256; ++i) {
    unsigned y = 0x63;
    for (unsigned turn = 0; turn < 5; ++turn) y ^= (reciprocal << turn | reciprocal >> (8 - turn)) & 0xff;
    table[inverse ? y : x] = static_cast<std::uint8_t>(inverse ? x : y);
    x = i < 254 ? aes_product(x, 0x03) : 0;
    reciprocal = i < 254 ? aes_product(reciprocal, 0xf6) : 0;
  }
  return table;
}

inline constexpr std::array<std::uint8_t, 256> aes_substitution_tables[2] = {aes_substitutions(false),
                                                                             aes_substitutions(true)};
constexpr bool aes_substitutions_undo_each_other() {
  for (unsigned x = 0; x < 256; ++x) {
    if (aes_substitution_tables[1][aes_substitution_tables[0][x]] != x) return false;
  }
  return true;
}
static_assert(aes_substitutions_undo_each_other());

/// Where a claim has set it: each byte that SubBytes was given, by what it made of it. InvSubBytes then gives that back instead
/// of writing gates.
inline std::map<Signals, Signals>* aes_substituted_from = nullptr;

/// The 16 bytes of a state: byte i is row i mod 4 of column i / 4.
using AesBytes = std::array<Signals, 16>;

inline Signals aes_substituted(const Signals& byte, bool inverse) {
  if (inverse && aes_substituted_from != nullptr) {
    const auto found = aes_substituted_from->find(byte);
    if (found != aes_substituted_from->end()) return found->second;
  }
  Signals result;
  for (unsigned bit = 0; bit < 8; ++bit) {
    Signals row;
    for (const std::uint8_t entry : aes_substitution_tables[inverse ? 1 : 0]) row.push_back(entry >> bit & 1);
    result.push_back(chosen(row, byte));
  }
  if (!inverse && aes_substituted_from != nullptr) (*aes_substituted_from)[result] = byte;
  return result;
}
inline AesBytes aes_substituted(AesBytes bytes, bool inverse) {
  for (Signals& byte : bytes) byte = aes_substituted(byte, inverse);
  return bytes;
}
/// ShiftRows: row r goes r columns to the left, or to the right.
inline AesBytes aes_shifted(const AesBytes& bytes, bool inverse) {
  AesBytes result;
  for (std::size_t i = 0; i < 16; ++i) result[i] = bytes[(inverse ? i + 12 * (i % 4) : i + 4 * (i % 4)) % 16];
  return result;
}
/// A byte of signals times a constant.
inline Signals aes_times(const Signals& byte, unsigned factor) {
  Signals product(8, zero);
  for (std::size_t i = 0; i < 8; ++i) {
    const unsigned power = aes_product(1U << i, factor);
    for (std::size_t k = 0; k < 8; ++k) {
      if ((power >> k & 1) != 0) product[k] = graph().xor_of(product[k], byte[i]);
    }
  }
  return product;
}
/// MixColumns, or InvMixColumns: each column times the matrix whose first row is given, the others turned.
inline AesBytes aes_mixed(const AesBytes& bytes, bool inverse) {
  constexpr unsigned rows[2][4] = {{2, 3, 1, 1}, {14, 11, 13, 9}};
  AesBytes result;
  for (std::size_t i = 0; i < 16; ++i) {
    result[i] = Signals(8, zero);
    for (std::size_t k = 0; k < 4; ++k) {
      const Signals product = aes_times(bytes[i / 4 * 4 + (i + k) % 4], rows[inverse ? 1 : 0][k]);
      for (std::size_t bit = 0; bit < 8; ++bit) result[i][bit] = graph().xor_of(result[i][bit], product[bit]);
    }
  }
  return result;
}

/// A function of the bytes of every 128-bit element, and the key added.
template <std::size_t num_bytes, class Function>
Register<num_bytes> on_aes_states(const Register<num_bytes>& a, const Register<num_bytes>& key, Function function) {
  const Register<num_bytes> states = of_elements<num_bytes, 128>([&](std::size_t i) {
    AesBytes bytes;
    for (std::size_t k = 0; k < 16; ++k) bytes[k] = element<8>(a, 16 * i + k);
    Signals result;
    for (const Signals& byte : function(bytes)) append(result, byte);
    return result;
  });
  return xor_registers(states, key);
}
template <std::size_t num_bytes>
Register<num_bytes> aes_encrypted(const Register<num_bytes>& a, const Register<num_bytes>& key) {
  return on_aes_states(a, key,
                       [](const AesBytes& s) { return aes_mixed(aes_substituted(aes_shifted(s, false), false), false); });
}
template <std::size_t num_bytes>
Register<num_bytes> aes_encrypted_last(const Register<num_bytes>& a, const Register<num_bytes>& key) {
  return on_aes_states(a, key, [](const AesBytes& s) { return aes_substituted(aes_shifted(s, false), false); });
}
template <std::size_t num_bytes>
Register<num_bytes> aes_decrypted(const Register<num_bytes>& a, const Register<num_bytes>& key) {
  return on_aes_states(a, key,
                       [](const AesBytes& s) { return aes_mixed(aes_substituted(aes_shifted(s, true), true), true); });
}
template <std::size_t num_bytes>
Register<num_bytes> aes_decrypted_last(const Register<num_bytes>& a, const Register<num_bytes>& key) {
  return on_aes_states(a, key, [](const AesBytes& s) { return aes_substituted(aes_shifted(s, true), true); });
}
template <std::size_t num_bytes>
Register<num_bytes> aes_inverse_mixed(const Register<num_bytes>& a) {
  return on_aes_states(a, Register<num_bytes>::of(Signals(8 * num_bytes, zero)),
                       [](const AesBytes& s) { return aes_mixed(s, true); });
}

}  // namespace prove
