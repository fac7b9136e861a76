// This computes GHASH (SP 800-38D section 6.4) where there is no carry-less multiplication. It multiplies by one fixed
// element through tables of the element's products with every digit, of eight or four bits. It multiplies any two
// elements by integer multiplications.
//
// An element is four big-endian words of a block. The coefficient of x^0 is the most significant bit of word 0 (section
// 6.3), and multiplication by x is a shift to the right across the words.
#pragma once

#include "engine/lanes/word_gpu.hpp"

namespace phalanx {
namespace {

struct GhashElement {
  std::uint32_t word[4];

  friend PHALANX_INLINE GhashElement operator^(GhashElement a, GhashElement b) {
    GhashElement sum;
    for (unsigned i = 0; i < 4; ++i) sum.word[i] = a.word[i] ^ b.word[i];
    return sum;
  }
};

/// From the words of a block as a little-endian machine loads them, and back.
PHALANX_INLINE GhashElement ghash_element(const std::uint32_t block[4]) {
  GhashElement x;
  for (unsigned i = 0; i < 4; ++i) x.word[i] = permute_bytes<0x0123>(block[i], 0);
  return x;
}

/// The low word of high:low shifted to the right by 0 < count < 32.
template <unsigned count>
PHALANX_INLINE std::uint32_t shift_right_pair(std::uint32_t high, std::uint32_t low) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_r(low, high, count);
#else
  return low >> count | high << (32 - count);
#endif
}

/// a + b x^128 for eight words a, b, with b of degree at most 120: x^128 is x^7 + x^2 + x + 1.
PHALANX_INLINE GhashElement ghash_fold(const std::uint32_t a[8]) {
  const std::uint32_t* const b = a + 4;
  GhashElement sum;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t before = i == 0 ? 0 : b[i - 1];
    sum.word[i] = a[i] ^ b[i] ^ shift_right_pair<1>(before, b[i]) ^ shift_right_pair<2>(before, b[i]) ^
                  shift_right_pair<7>(before, b[i]);
  }
  return sum;
}

/// Reduces a + b x^128 for any b. The bits that the fold would carry beyond x^127 are folded first.
PHALANX_INLINE GhashElement ghash_reduce(std::uint32_t a[8]) {
  a[4] ^= a[7] << 31 ^ a[7] << 30 ^ a[7] << 25;
  return ghash_fold(a);
}

PHALANX_INLINE GhashElement ghash_times_x(GhashElement a) {
  const std::uint32_t carry = a.word[3] & 1;
  GhashElement product;
  for (unsigned i = 1; i < 4; ++i) product.word[i] = shift_right_pair<1>(a.word[i - 1], a.word[i]);
  product.word[0] = a.word[0] >> 1 ^ carry * 0xe1000000;
  return product;
}

/// Returns the carry-less product of two numbers. Each is split into four that have only every fourth bit. In their
/// integer products at most eight ones meet in a bit, and their carry stays in the three bits that follow.
PHALANX_INLINE std::uint64_t ghash_multiply_words(std::uint32_t a, std::uint32_t b) {
  constexpr std::uint32_t every_fourth = 0x11111111;
  std::uint64_t product = 0;
  PHALANX_UNROLL
  for (unsigned i = 0; i < 4; ++i) {
    std::uint64_t sum = 0;
    PHALANX_UNROLL
    for (unsigned j = 0; j < 4; ++j) {
      sum ^= std::uint64_t{a & every_fourth << j} * (b & every_fourth << ((i - j) & 3));
    }
    product |= sum & std::uint64_t{0x1111111111111111} << i;
  }
  return product;
}

/// Multiplies two pairs of words into four, most significant first, by Karatsuba's method.
PHALANX_INLINE void ghash_multiply_pairs(const std::uint32_t a[2], const std::uint32_t b[2], std::uint32_t product[4]) {
  const std::uint64_t high = ghash_multiply_words(a[0], b[0]);
  const std::uint64_t low = ghash_multiply_words(a[1], b[1]);
  const std::uint64_t middle = ghash_multiply_words(a[0] ^ a[1], b[0] ^ b[1]) ^ high ^ low;
  product[0] = static_cast<std::uint32_t>(high >> 32);
  product[1] = static_cast<std::uint32_t>(high) ^ static_cast<std::uint32_t>(middle >> 32);
  product[2] = static_cast<std::uint32_t>(low >> 32) ^ static_cast<std::uint32_t>(middle);
  product[3] = static_cast<std::uint32_t>(low);
}

/// The product of any two elements, in constant time.
PHALANX_INLINE GhashElement ghash_multiply(GhashElement a, GhashElement b) {
  const std::uint32_t a_sum[2] = {a.word[0] ^ a.word[2], a.word[1] ^ a.word[3]};
  const std::uint32_t b_sum[2] = {b.word[0] ^ b.word[2], b.word[1] ^ b.word[3]};
  std::uint32_t high[4];
  std::uint32_t low[4];
  std::uint32_t middle[4];
  ghash_multiply_pairs(a.word, b.word, high);
  ghash_multiply_pairs(a.word + 2, b.word + 2, low);
  ghash_multiply_pairs(a_sum, b_sum, middle);
  std::uint32_t p[9] = {};  // the 255 bits of the product, the last one at the end of p[7]
  for (unsigned i = 0; i < 4; ++i) {
    p[i] ^= high[i];
    p[4 + i] ^= low[i];
    p[2 + i] ^= middle[i] ^ high[i] ^ low[i];
  }
  for (unsigned i = 0; i < 8; ++i) p[i] = shift_right_pair<31>(p[i], p[i + 1]);  // x^0 to the first bit
  return ghash_reduce(p);
}

/// The square of an element: each coefficient where twice its exponent is.
PHALANX_INLINE GhashElement ghash_square(GhashElement a) {
  const auto spread = [](std::uint32_t x) {  // 16 bits, each to the left of two
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    x = (x | x << 1) & 0x55555555;
    return x << 1;
  };
  std::uint32_t p[8];
  for (unsigned i = 0; i < 4; ++i) {
    p[2 * i] = spread(a.word[i] >> 16);
    p[2 * i + 1] = spread(a.word[i] & 0xffff);
  }
  return ghash_reduce(p);
}

/// Multiplication by a fixed element through tables: entry v of table i is word i of v(x) times the element, v's most
/// significant of digit_bits bits being x^0. The tables are a policy as in aes_table_core.hpp.
template <unsigned digit_bits, class Tables>
struct GhashTimes {
  static constexpr unsigned num_entries = 1U << digit_bits;
  static constexpr unsigned num_steps = 32 / digit_bits;

  Tables tables;

  /// The tables are filled from these: the element times x^bit for each bit of a digit.
  struct Multiples {
    GhashElement times_bit[digit_bits];

    explicit PHALANX_INLINE Multiples(GhashElement element) {
      PHALANX_UNROLL
      for (unsigned bit = digit_bits; bit-- != 0; element = ghash_times_x(element)) times_bit[bit] = element;
    }
    /// Makes entry v of the four tables.
    PHALANX_INLINE void entry(unsigned v, std::uint32_t words[4]) const {
      PHALANX_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        words[i] = 0;
        PHALANX_UNROLL
        for (unsigned bit = 0; bit < digit_bits; ++bit) words[i] ^= times_bit[bit].word[i] & (0 - (v >> bit & 1));
      }
    }
  };

  /// Multiplies x by the element. It goes by Horner's rule over the digits of a word, and takes all four words
  /// together. The product of up to 252 bits is reduced at the end.
  PHALANX_INLINE GhashElement of(GhashElement x) const {
    std::uint32_t sum[8] = {};
    add_digits<num_steps - 1>(x, sum);
    if constexpr (digit_bits == 8) return ghash_fold(sum);
    return ghash_reduce(sum);
  }

 private:
  template <unsigned step>
  PHALANX_INLINE void add_digits(const GhashElement& x, std::uint32_t sum[8]) const {
    if constexpr (step + 1 != num_steps) {
      PHALANX_UNROLL
      for (unsigned i = 7; i != 0; --i) sum[i] = shift_right_pair<digit_bits>(sum[i - 1], sum[i]);
      sum[0] >>= digit_bits;
    }
    constexpr unsigned byte = 3 - step * digit_bits / 8;
    PHALANX_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint32_t digits = digit_bits == 8 ? x.word[i] : (step % 2 == 0 ? x.word[i] >> 4 : x.word[i]) & 0x0f0f0f0f;
      sum[i] ^= tables.template look_up<0, byte>(digits);
      sum[i + 1] ^= tables.template look_up<1, byte>(digits);
      sum[i + 2] ^= tables.template look_up<2, byte>(digits);
      sum[i + 3] ^= tables.template look_up<3, byte>(digits);
    }
    if constexpr (step != 0) add_digits<step - 1>(x, sum);
  }
};

}  // namespace
}  // namespace phalanx
