// GHASH of SP 800-38D, section 6.4, over a vector of one or more blocks.
//
// Bit 0 of a block, the coefficient of x^0, is the most significant bit of its first byte (section 6.3). So a block loaded as a
// big-endian number is its polynomial with the coefficients in reverse: x^0 at bit 127, multiplication by x a shift to the
// right. The carry-less product of two such numbers is, read in the same way over 256 bits, the product of the polynomials times
// x. The key holds every power of H times x^-1, which takes that factor out.
//
// n blocks are taken in together: Y becomes (Y + X1) H^n + X2 H^(n-1) + ... + Xn H, and only the sum is reduced.
#pragma once

#include "lanes/lane_word.hpp"

namespace phalanx {
namespace {

/// The sum of the two 64-bit halves of every block, in both halves.
template <class Vector>
PHALANX_INLINE Vector ghash_sum_of_halves(Vector a) {
  return a ^ swap_halves(a);
}

/// A sum of products, not yet reduced. Karatsuba's method: with a = a1 2^64 + a0, b = b1 2^64 + b0 the parts are a0 b0,
/// (a1 + a0) (b1 + b0) and a1 b1, and the product is high * 2^128 + (middle + low + high) * 2^64 + low.
template <class Vector>
struct GhashProduct {
  Vector low;
  Vector middle;
  Vector high;

  static PHALANX_INLINE GhashProduct of(Vector a, Vector b, Vector b_sum_of_halves) {
    return {carryless_multiply<0x00>(a, b), carryless_multiply<0x00>(ghash_sum_of_halves(a), b_sum_of_halves),
            carryless_multiply<0x11>(a, b)};
  }
  PHALANX_INLINE void add(GhashProduct b) {
    low = low ^ b.low;
    middle = middle ^ b.middle;
    high = high ^ b.high;
  }
};

/// The product modulo x^128 + x^7 + x^2 + x + 1. Its 64-bit words are, from the right, the coefficients from x^192, x^128, x^64
/// and x^0 on. A word W is taken out by adding x^128 W = (x^7 + x^2 + x) W + W to the two words on its left: the first term is
/// the carry-less product of W and `polynomial` (bits 63, 62, 57), the second is W itself.
template <class Block>
PHALANX_INLINE Block ghash_reduce(GhashProduct<Block> product) {
  const Block polynomial = Block::from_halves(0, 0xc200000000000000);
  const Block middle = product.middle ^ product.low ^ product.high;
  const Block first = middle ^ swap_halves(product.low) ^ carryless_multiply<0x00>(product.low, polynomial);
  return product.high ^ swap_halves(first) ^ carryless_multiply<0x00>(first, polynomial);
}

/// `Vector` holds one or more blocks of type `Block`; up to num_powers blocks are reduced together.
template <class Vector, class Block, std::size_t num_powers>
struct Ghash {
  static constexpr std::size_t blocks_per_vector = sizeof(Vector) / 16;
  static_assert(num_powers % blocks_per_vector == 0);
  static constexpr std::size_t num_group_blocks = num_powers;

  struct alignas(64) Key {
    std::uint8_t powers[num_powers][16];          ///< H^num_powers, ..., H^2, H, each times x^-1
    std::uint8_t sums_of_halves[num_powers][16];  ///< theirs, for Karatsuba's method
  };

  static void expand_key(const std::uint8_t* hash_subkey, Key& key) {
    const Block h = times_inverse_x(hash_subkey);
    Block power = h;
    for (std::size_t i = num_powers; i-- != 0;) {
      power.store(key.powers[i]);
      ghash_sum_of_halves(power).store(key.sums_of_halves[i]);
      power = ghash_reduce(GhashProduct<Block>::of(power, h, ghash_sum_of_halves(h)));
    }
  }

  static void update(const Key& key, std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks) {
    Block sum = reverse_bytes128(Block::load(y));
    for (; num_blocks >= num_powers; num_blocks -= num_powers) {
      sum = take_in(key, sum, in, num_powers);
      in += 16 * num_powers;
    }
    if (num_blocks != 0) sum = take_in(key, sum, in, num_blocks);
    reverse_bytes128(sum).store(y);
  }

  /// Takes in groups of num_group_blocks blocks in steps, which can stand between other computations.
  struct Stepwise {
    static constexpr int num_steps = static_cast<int>(num_powers / blocks_per_vector) + 1;

    const Key& key;
    Block sum;
    GhashProduct<Vector> product{};

    Stepwise(const Key& key_, const std::uint8_t* y) : key(key_), sum(reverse_bytes128(Block::load(y))) {}
    PHALANX_INLINE void store(std::uint8_t* y) const { reverse_bytes128(sum).store(y); }

    /// For each group at `in`, step 0 to num_steps - 1 in turn.
    PHALANX_INLINE void step(int i, const std::uint8_t* in) {
      if (i == num_steps - 1) {
        sum = reduce(product);
        return;
      }
      const auto first = static_cast<std::size_t>(i) * blocks_per_vector;
      const Vector x = reverse_bytes128(Vector::load(in + 16 * first));
      if (i == 0) {
        product = times_powers(key, first, x ^ widen(sum));
      } else {
        product.add(times_powers(key, first, x));
      }
    }
  };

 private:
  /// A shift to the left; x^0 becomes x^-1 = x^127 + x^6 + x + 1.
  static Block times_inverse_x(const std::uint8_t* hash_subkey) {
    const std::uint64_t high = reverse_bytes(load_u64(hash_subkey));
    const std::uint64_t low = reverse_bytes(load_u64(hash_subkey + 8));
    const std::uint64_t x0 = high >> 63;
    return Block::from_halves((high << 1 | low >> 63) ^ (0xc200000000000000 & (0 - x0)), low << 1 ^ x0);
  }

  static PHALANX_INLINE Vector widen(Block block) {
    if constexpr (blocks_per_vector == 1) {
      return block;
    } else {
      return Vector::from128(block);
    }
  }
  static PHALANX_INLINE Block sum_of_blocks(Vector v) {
    if constexpr (blocks_per_vector == 1) {
      return v;
    } else {
      return sum128(v);
    }
  }

  /// x times the powers from key.powers[first] on.
  static PHALANX_INLINE GhashProduct<Vector> times_powers(const Key& key, std::size_t first, Vector x) {
    return GhashProduct<Vector>::of(x, Vector::load(key.powers[first]), Vector::load(key.sums_of_halves[first]));
  }

  /// Y after 1 <= num_blocks <= num_powers blocks. If they do not fill whole vectors, zero blocks go before them.
  static PHALANX_INLINE Block take_in(const Key& key, Block y, const std::uint8_t* in, std::size_t num_blocks) {
    const std::size_t num_first = (num_blocks - 1) % blocks_per_vector + 1;
    const std::size_t num_zeros = blocks_per_vector - num_first;
    const Vector first = num_zeros == 0 ? reverse_bytes128(Vector::load(in)) ^ widen(y) : pad_front(y, in, num_first);
    const std::size_t power = num_powers - num_blocks;
    GhashProduct<Vector> product = times_powers(key, power - num_zeros, first);
    for (std::size_t i = num_first; i < num_blocks; i += blocks_per_vector) {
      product.add(times_powers(key, power + i, reverse_bytes128(Vector::load(in + 16 * i))));
    }
    return reduce(product);
  }
  static PHALANX_INLINE Block reduce(const GhashProduct<Vector>& product) {
    return ghash_reduce(
        GhashProduct<Block>{sum_of_blocks(product.low), sum_of_blocks(product.middle), sum_of_blocks(product.high)});
  }

  /// A vector of zero blocks and then num_blocks blocks, Y added to the first of these.
  static PHALANX_INLINE Vector pad_front(Block y, const std::uint8_t* in, std::size_t num_blocks) {
    std::uint8_t padded[sizeof(Vector)] = {};
    std::uint8_t* const blocks = padded + sizeof(Vector) - 16 * num_blocks;
    std::memcpy(blocks, in, 16 * num_blocks);
    (Block::load(blocks) ^ reverse_bytes128(y)).store(blocks);
    const Vector x = reverse_bytes128(Vector::load(padded));
    wipe(padded, sizeof padded);
    return x;
  }
};

}  // namespace
}  // namespace phalanx
