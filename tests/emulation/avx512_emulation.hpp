// The names of engine/lanes/word_avx512.hpp in plain C++, from the instructions' definitions in the Intel SDM volume 2: on a
// machine without AVX-512 the tests run the AVX-512 kernels over this. Slow, and with table look-ups: for tests only.
#pragma once

#include "aesni_emulation.hpp"
#include "engine/lanes/lane_word.hpp"

namespace phalanx {
namespace {

struct Word512 {
  std::uint8_t byte[64];

  using Qwords = std::uint64_t __attribute__((vector_size(64)));
  using Dwords = std::uint32_t __attribute__((vector_size(64)));
  using Octets = std::uint8_t __attribute__((vector_size(64)));
  template <class Lanes>
  PHALANX_INLINE Lanes as() const {
    Lanes lanes;
    std::memcpy(&lanes, byte, 64);
    return lanes;
  }
  template <class Lanes>
  static PHALANX_INLINE Word512 of(Lanes lanes) {
    Word512 r;
    std::memcpy(r.byte, &lanes, 64);
    return r;
  }

  static PHALANX_INLINE Word512 load(const void* p) {
    Word512 r;
    std::memcpy(r.byte, p, 64);
    return r;
  }
  PHALANX_INLINE void store(void* p) const { std::memcpy(p, byte, 64); }
  static Word512 load_first(const void* p, std::size_t num_bytes) {
    Word512 r{};
    std::memcpy(r.byte, p, num_bytes);
    return r;
  }
  void store_first(void* p, std::size_t num_bytes) const { std::memcpy(p, byte, num_bytes); }
  static Word512 load_bytes(const void* p, std::uint64_t mask) {
    Word512 r{};
    for (int i = 0; i < 64; ++i) {
      if ((mask >> i & 1) != 0) r.byte[i] = static_cast<const std::uint8_t*>(p)[i];
    }
    return r;
  }
  void store_bytes(void* p, std::uint64_t mask) const {
    for (int i = 0; i < 64; ++i) {
      if ((mask >> i & 1) != 0) static_cast<std::uint8_t*>(p)[i] = byte[i];
    }
  }
  friend inline Word512 blocks_from_second(Word512 a, Word512 next) {
    Word512 r{};
    std::memcpy(r.byte, a.byte + 16, 48);
    std::memcpy(r.byte + 48, next.byte, 16);
    return r;
  }
  static PHALANX_INLINE Word512 from128(Word128 a) {
    Word512 r{};
    a.store(r.byte);
    return r;
  }
  friend inline Word128 first128(Word512 a) { return Word128::load(a.byte); }
  friend inline Word128 sum128(Word512 a) {
    Word128 sum = Word128::load(a.byte);
    for (int i = 16; i < 64; i += 16) sum = sum ^ Word128::load(a.byte + i);
    return sum;
  }
  friend inline Word512 swap_halves(Word512 a) {
    Word512 r;
    for (int i = 0; i < 64; i += 16) swap_halves(Word128::load(a.byte + i)).store(r.byte + i);
    return r;
  }
  friend inline Word512 reverse_bytes128(Word512 a) {
    Word512 r;
    for (int i = 0; i < 64; i += 16) reverse_bytes128(Word128::load(a.byte + i)).store(r.byte + i);
    return r;
  }
  static PHALANX_INLINE Word512 zero() { return of(Qwords{}); }
  static PHALANX_INLINE Word512 broadcast64(std::uint64_t x) { return of(Qwords{} + x); }
  static PHALANX_INLINE Word512 broadcast32(std::uint32_t x) { return of(Dwords{} + x); }
  static PHALANX_INLINE Word512 broadcast8(std::uint8_t x) { return of(Octets{} + x); }
  static PHALANX_INLINE Word512 broadcast128(const void* p) {
    Word512 r;
    for (int i = 0; i < 64; i += 16) std::memcpy(r.byte + i, p, 16);
    return r;
  }
  static Word512 broadcast256(const void* p) {
    Word512 r;
    for (int i = 0; i < 64; i += 32) std::memcpy(r.byte + i, p, 32);
    return r;
  }
  static Word512 from_byte_mask(std::uint64_t mask) {
    Word512 r;
    for (int i = 0; i < 64; ++i) r.byte[i] = (mask >> i & 1) != 0 ? 0xff : 0;
    return r;
  }
  static Word512 numbers128(std::uint64_t high, std::uint64_t low) {
    Word512 r;
    for (unsigned i = 0; i < 4; ++i) Word128::from_halves(high, low + i).store(r.byte + 16 * i);
    return r;
  }
  friend inline Word512 add_low64(Word512 v, std::uint64_t n) {
    for (int i = 0; i < 64; i += 16) store_u64(v.byte + i, load_u64(v.byte + i) + n);
    return v;
  }
  static constexpr std::size_t tweak_step = 2;
  static Word512 first_tweaks(const void* tweak, std::size_t number) {
    Word512 r;
    Word128 t = Word128::load(tweak);
    for (std::size_t i = 0; i < 4 * number; ++i) t = next_tweaks(t);
    for (int i = 0; i < 64; i += 16, t = next_tweaks(t)) t.store(r.byte + i);
    return r;
  }
  friend inline Word512 next_tweaks(Word512 t) { return times_alpha(t, 8); }
  static constexpr std::size_t far_tweak_step = 16;
  friend inline Word512 far_tweaks(Word512 t) { return times_alpha(t, 64); }
  static Word512 times_alpha(Word512 t, int exponent) {
    for (int i = 0; i < 64; i += 16) {
      Word128 x = Word128::load(t.byte + i);
      for (int times = 0; times < exponent; ++times) x = next_tweaks(x);
      x.store(t.byte + i);
    }
    return t;
  }
  friend PHALANX_INLINE Word512 operator&(Word512 a, Word512 b) { return of(a.as<Qwords>() & b.as<Qwords>()); }
  friend PHALANX_INLINE Word512 operator|(Word512 a, Word512 b) { return of(a.as<Qwords>() | b.as<Qwords>()); }
  friend PHALANX_INLINE Word512 operator^(Word512 a, Word512 b) { return of(a.as<Qwords>() ^ b.as<Qwords>()); }
  friend PHALANX_INLINE Word512 operator~(Word512 a) { return of(~a.as<Qwords>()); }
  friend PHALANX_INLINE Word512 and_not(Word512 a, Word512 b) { return of(a.as<Qwords>() & ~b.as<Qwords>()); }
  friend PHALANX_INLINE Word512 shift_left_each64(Word512 a, Word512 counts) {
    return of(a.as<Qwords>() << counts.as<Qwords>());
  }
  friend PHALANX_INLINE Word512 shift_right_each64(Word512 a, Word512 counts) {
    return of(a.as<Qwords>() >> counts.as<Qwords>());
  }
  friend inline Word512 or_across64(Word512 a) {
    std::uint64_t all = 0;
    for (int i = 0; i < 64; i += 8) all |= load_u64(a.byte + i);
    return broadcast64(all);
  }
  friend inline Word512 swap32(Word512 a) {
    const auto x = a.as<Qwords>();
    return of(x << 32 | x >> 32);
  }
  friend inline Word512 rotate_left_each32(Word512 a, Word512 counts) {
    for (int i = 0; i < 64; i += 4) {
      const std::uint64_t twice = std::uint64_t{load_u32(a.byte + i)} * 0x100000001;
      store_u32(a.byte + i, static_cast<std::uint32_t>(twice >> (32 - load_u32(counts.byte + i))));
    }
    return a;
  }
  friend inline Word512 double_low32(Word512 a) {
    for (int i = 0; i < 64; i += 8) store_u32(a.byte + i + 4, load_u32(a.byte + i));
    return a;
  }
  static Word512 widen_bytes(const void* p) {
    Word512 r;
    for (int i = 0; i < 8; ++i) store_u64(r.byte + 8 * i, static_cast<const std::uint8_t*>(p)[i]);
    return r;
  }
  friend inline std::uint64_t first64(Word512 a) { return load_u64(a.byte); }
  friend PHALANX_INLINE Word512 add32(Word512 a, Word512 b) { return of(a.as<Dwords>() + b.as<Dwords>()); }

  friend inline Word512 shuffle_bytes(Word512 v, Word512 index) {
    Word512 r;
    for (int i = 0; i < 64; ++i) r.byte[i] = (index.byte[i] & 0x80) != 0 ? 0 : v.byte[(i & 48) | (index.byte[i] & 15)];
    return r;
  }
  friend inline Word512 permute_bytes(Word512 table, Word512 index) {
    Word512 r;
    for (int i = 0; i < 64; ++i) r.byte[i] = table.byte[index.byte[i] & 63];
    return r;
  }
  friend inline Word512 blend_bytes(std::uint64_t mask, Word512 a, Word512 b) {
    for (int i = 0; i < 64; ++i) {
      if ((mask >> i & 1) != 0) a.byte[i] = b.byte[i];
    }
    return a;
  }
  friend inline Word512 shuffle_bytes_where(std::uint64_t mask, Word512 v, Word512 index, Word512 otherwise) {
    return blend_bytes(mask, otherwise, shuffle_bytes(v, index));
  }
  friend inline Word512 permute_bytes_where(std::uint64_t mask, Word512 table, Word512 index, Word512 otherwise) {
    return blend_bytes(mask, otherwise, permute_bytes(table, index));
  }
  friend inline Word512 permute_bytes_or_zero(std::uint64_t mask, Word512 table, Word512 index) {
    return blend_bytes(mask, zero(), permute_bytes(table, index));
  }
  friend inline std::uint64_t top_bits_of_bytes(Word512 a) {
    std::uint64_t mask = 0;
    for (int i = 0; i < 64; ++i) mask |= static_cast<std::uint64_t>(a.byte[i] >> 7) << i;
    return mask;
  }
  friend inline Word512 affine(Word512 v, Word512 matrix) {
    Word512 r;
    for (int i = 0; i < 64; ++i) {
      unsigned result = 0;
      for (int bit = 0; bit < 8; ++bit) {
        const unsigned row = matrix.byte[(i & 56) + 7 - bit];
        result |= static_cast<unsigned>(__builtin_parity(row & v.byte[i])) << bit;
      }
      r.byte[i] = static_cast<std::uint8_t>(result);
    }
    return r;
  }
  friend inline Word512 unpack_low64(Word512 a, Word512 b) { return unpack<8>(a, b, 0); }
  friend inline Word512 unpack_high64(Word512 a, Word512 b) { return unpack<8>(a, b, 8); }
  friend inline Word512 unpack_low32(Word512 a, Word512 b) { return unpack<4>(a, b, 0); }
  friend inline Word512 unpack_high32(Word512 a, Word512 b) { return unpack<4>(a, b, 8); }
  template <int item_bytes>
  static Word512 unpack(Word512 a, Word512 b, int from) {
    Word512 r;
    for (int element = 0; element < 64; element += 16) {
      for (int i = 0; i < 8; i += item_bytes) {
        std::memcpy(r.byte + element + 2 * i, a.byte + element + from + i, item_bytes);
        std::memcpy(r.byte + element + 2 * i + item_bytes, b.byte + element + from + i, item_bytes);
      }
    }
    return r;
  }
};

/// An operation of Word128 on each block.
template <Word128 (*operation)(Word128, Word128)>
inline Word512 on_each_block(Word512 a, Word512 b) {
  Word512 r;
  for (int i = 0; i < 64; i += 16) operation(Word128::load(a.byte + i), Word128::load(b.byte + i)).store(r.byte + i);
  return r;
}
// Not inlined: the circuits call it a thousand times, and the compiler takes minutes over their copies.
template <std::uint8_t table>
__attribute__((noinline)) Word512 lut3(Word512 a, Word512 b, Word512 c) {
  const auto x = a.as<Word512::Qwords>();
  const auto y = b.as<Word512::Qwords>();
  const auto z = c.as<Word512::Qwords>();
  Word512::Qwords r{};
  for (unsigned i = 0; i < 8; ++i) {
    if ((table >> i & 1) != 0) r |= ((i & 4) != 0 ? x : ~x) & ((i & 2) != 0 ? y : ~y) & ((i & 1) != 0 ? z : ~z);
  }
  return Word512::of(r);
}
template <int count>
PHALANX_INLINE Word512 rotate_left32(Word512 a) {
  const auto x = a.as<Word512::Dwords>();
  return Word512::of(x << count | x >> (32 - count));
}
template <int count>
PHALANX_INLINE Word512 shift_left32(Word512 a) {
  return Word512::of(a.as<Word512::Dwords>() << count);
}
template <int count>
PHALANX_INLINE Word512 shift_right32(Word512 a) {
  return Word512::of(a.as<Word512::Dwords>() >> count);
}
template <int halves>
inline Word512 carryless_multiply(Word512 a, Word512 b) {
  return on_each_block<carryless_multiply<halves>>(a, b);
}
template <int order>
inline Word512 shuffle128(Word512 a, Word512 b) {
  Word512 r;
  for (int i = 0; i < 4; ++i) std::memcpy(r.byte + 16 * i, (i < 2 ? a : b).byte + 16 * (order >> (2 * i) & 3), 16);
  return r;
}
template <int num_bytes>
inline Word512 shift_right_bytes128(Word512 a) {
  Word512 r{};
  for (int i = 0; i < 64; i += 16) std::memcpy(r.byte + i, a.byte + i + num_bytes, 16 - num_bytes);
  return r;
}
template <int num_bytes>
inline Word512 shift_left_bytes128(Word512 a) {
  Word512 r{};
  for (int i = 0; i < 64; i += 16) std::memcpy(r.byte + i + num_bytes, a.byte + i, 16 - num_bytes);
  return r;
}

/// AESENC and its three relatives.
inline Word512 aes_encrypt_round(Word512 v, Word512 key) { return on_each_block<aes_encrypt_round>(v, key); }
inline Word512 aes_encrypt_last(Word512 v, Word512 key) { return on_each_block<aes_encrypt_last>(v, key); }
inline Word512 aes_decrypt_round(Word512 v, Word512 key) { return on_each_block<aes_decrypt_round>(v, key); }
inline Word512 aes_decrypt_last(Word512 v, Word512 key) { return on_each_block<aes_decrypt_last>(v, key); }

}  // namespace
}  // namespace phalanx
