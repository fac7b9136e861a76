// The names of engine/lanes/word_aesni.hpp in plain C++, from the instructions' definitions in the Intel SDM volume 2. Slow, and
// with table look-ups: for tests only.
#pragma once

#include "engine/lanes/lane_word.hpp"

namespace phalanx {
namespace {

/// FIPS 197: SBOX() and INVSBOX(), section 5.1.1 and 5.3.2, computed from their definition.
struct AesTables {
  std::uint8_t sub[256];
  std::uint8_t inverse_sub[256];
  static std::uint8_t times(unsigned a, unsigned b) {
    unsigned r = 0;
    for (; b != 0; b >>= 1, a = a << 1 ^ ((a & 0x80) != 0 ? 0x11b : 0)) r ^= (b & 1) != 0 ? a : 0;
    return static_cast<std::uint8_t>(r);
  }
  AesTables() {
    for (unsigned x = 0; x < 256; ++x) {
      unsigned inverse = 0;
      for (unsigned y = 1; y < 256 && x != 0; ++y) {
        if (times(x, y) == 1) inverse = y;
      }
      unsigned s = 0x63;
      for (int shift = 0; shift < 5; ++shift) s ^= (inverse << shift | inverse >> (8 - shift)) & 0xff;
      sub[x] = static_cast<std::uint8_t>(s);
      inverse_sub[s] = static_cast<std::uint8_t>(x);
    }
  }
};

struct Word128 {
  std::uint8_t byte[16];

  static Word128 load(const void* p) {
    Word128 r;
    std::memcpy(r.byte, p, 16);
    return r;
  }
  void store(void* p) const { std::memcpy(p, byte, 16); }
  static Word128 load_first(const void* p, std::size_t num_bytes) { return num_bytes != 0 ? load(p) : zero(); }
  void store_first(void* p, std::size_t num_bytes) const {
    if (num_bytes != 0) store(p);
  }
  static Word128 zero() { return from_halves(0, 0); }
  static Word128 broadcast32(std::uint32_t x) {
    Word128 r;
    for (int i = 0; i < 16; i += 4) store_u32(r.byte + i, x);
    return r;
  }
  static Word128 broadcast128(const void* p) { return load(p); }
  static Word128 from_halves(std::uint64_t high, std::uint64_t low) {
    Word128 r;
    store_u64(r.byte, low);
    store_u64(r.byte + 8, high);
    return r;
  }
  std::uint32_t first32() const { return load_u32(byte); }
  std::uint64_t first64() const { return load_u64(byte); }
  static Word128 numbers128(std::uint64_t high, std::uint64_t low) { return from_halves(high, low); }
  friend inline Word128 add_low64(Word128 v, std::uint64_t n) {
    return from_halves(load_u64(v.byte + 8), load_u64(v.byte) + n);
  }
  friend inline Word128 next_tweaks(Word128 t) {
    const std::uint64_t low = load_u64(t.byte);
    const std::uint64_t high = load_u64(t.byte + 8);
    return from_halves(high << 1 | low >> 63, low << 1 ^ ((high >> 63) != 0 ? 0x87 : 0));
  }

  friend inline Word128 operator^(Word128 a, Word128 b) {
    for (int i = 0; i < 16; ++i) a.byte[i] ^= b.byte[i];
    return a;
  }
  friend inline Word128 operator&(Word128 a, Word128 b) {
    for (int i = 0; i < 16; ++i) a.byte[i] &= b.byte[i];
    return a;
  }
  friend inline Word128 operator|(Word128 a, Word128 b) {
    for (int i = 0; i < 16; ++i) a.byte[i] |= b.byte[i];
    return a;
  }
  friend inline Word128 and_not(Word128 a, Word128 b) {
    for (int i = 0; i < 16; ++i) a.byte[i] &= static_cast<std::uint8_t>(~b.byte[i]);
    return a;
  }
  friend inline Word128 shuffle_bytes(Word128 v, Word128 index) {
    Word128 r;
    for (int i = 0; i < 16; ++i) r.byte[i] = (index.byte[i] & 0x80) != 0 ? 0 : v.byte[index.byte[i] & 15];
    return r;
  }
  friend inline Word128 unpack_low64(Word128 a, Word128 b) { return from_halves(load_u64(b.byte), load_u64(a.byte)); }
  friend inline Word128 swap_halves(Word128 a) { return from_halves(load_u64(a.byte), load_u64(a.byte + 8)); }
  friend inline Word128 reverse_bytes128(Word128 a) {
    Word128 r;
    for (int i = 0; i < 16; ++i) r.byte[i] = a.byte[15 - i];
    return r;
  }
};

/// SHIFTROWS() and SUBBYTES() or their inverses, FIPS 197 sections 5.1 and 5.3.
inline Word128 aes_substitute(Word128 v, bool decrypt) {
  static const AesTables tables;
  const std::uint8_t* sub = decrypt ? tables.inverse_sub : tables.sub;
  Word128 r;
  for (int i = 0; i < 16; ++i) {
    const int row = i & 3;
    r.byte[i] = sub[v.byte[(i + (decrypt ? 16 - 4 * row : 4 * row)) & 15]];
  }
  return r;
}
/// MIXCOLUMNS() or INVMIXCOLUMNS().
inline Word128 aes_mix(Word128 v, bool decrypt) {
  const std::uint8_t coefficients[2][4] = {{2, 3, 1, 1}, {14, 11, 13, 9}};
  Word128 r{};
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 4; ++j) {
      r.byte[i] ^= AesTables::times(v.byte[(i & 12) | ((i + j) & 3)], coefficients[decrypt ? 1 : 0][j]);
    }
  }
  return r;
}
inline Word128 aes_encrypt_round(Word128 v, Word128 key) { return aes_mix(aes_substitute(v, false), false) ^ key; }
inline Word128 aes_encrypt_last(Word128 v, Word128 key) { return aes_substitute(v, false) ^ key; }
inline Word128 aes_decrypt_round(Word128 v, Word128 key) { return aes_mix(aes_substitute(v, true), true) ^ key; }
inline Word128 aes_decrypt_last(Word128 v, Word128 key) { return aes_substitute(v, true) ^ key; }
inline Word128 aes_inverse_mix_columns(Word128 v) { return aes_mix(v, true); }

template <int num_bytes>
inline Word128 shift_left_bytes128(Word128 a) {
  Word128 r = Word128::zero();
  std::memcpy(r.byte + num_bytes, a.byte, 16 - num_bytes);
  return r;
}
template <int count>
inline Word128 shift_right32(Word128 a) {
  for (int i = 0; i < 16; i += 4) store_u32(a.byte + i, load_u32(a.byte + i) >> count);
  return a;
}
template <int halves>
inline Word128 carryless_multiply(Word128 a, Word128 b) {
  const std::uint64_t x = load_u64(a.byte + ((halves & 1) != 0 ? 8 : 0));
  const std::uint64_t y = load_u64(b.byte + ((halves & 16) != 0 ? 8 : 0));
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  for (int i = 0; i < 64; ++i) {
    if ((y >> i & 1) == 0) continue;
    low ^= x << i;
    if (i > 0) high ^= x >> (64 - i);
  }
  return Word128::from_halves(high, low);
}

}  // namespace
}  // namespace phalanx
