// GHASH of SP 800-38D, section 6.4, over a vector of one or more blocks.
//
// Bit 0 of a block, the coefficient of x^0, is the most significant bit of its first byte (section 6.3). So a block loaded
// as a big-endian number is its polynomial with the coefficients in reverse: x^0 at bit 127, multiplication by x a shift to
// the right. The carry-less product of two such numbers is, read in the same way over 256 bits, the product of the
// polynomials times x. The key holds every power of H times x^-1, which takes that factor out.
//
// n blocks are taken in together: Y becomes (Y + X1) H^n + X2 H^(n-1) + ... + Xn H, and only the sum is reduced.
#pragma once

#include "engine/lanes/lane_word.hpp"

namespace phalanx {
namespace {

/// The sum of the two 64-bit halves of every block, in both halves.
template <class Vector>
PHALANX_INLINE Vector ghash_sum_of_halves(Vector a) {
  return a ^ swap_halves(a);
}

/// This is a sum of products, not yet reduced: high * 2^128 + middle * 2^64 + low.
template <class Vector>
struct GhashProduct {
  Vector low;
  Vector middle;
  Vector high;

  PHALANX_INLINE void add(GhashProduct b) {
    low = low ^ b.low;
    middle = middle ^ b.middle;
    high = high ^ b.high;
  }
};

/// A method makes products of 128-bit polynomials of those of their halves: a = a1 2^64 + a0. It holds powers of H, and
/// the values that it needs beside them. There is room for one vector more than there are powers, which meets only
/// zeros.
///
/// This method makes four multiplications, for processors where they are as cheap as anything else.
struct GhashSchoolbook {
  template <std::size_t num>
  struct Powers {
    std::uint8_t power[num][16];

    template <class Block>
    void set(std::size_t i, Block value) {
      value.store(power[i]);
    }
    template <class Vector>
    PHALANX_INLINE GhashProduct<Vector> times(std::size_t first, Vector a) const {
      const Vector b = Vector::load(power[first]);
      return {carryless_multiply<0x00>(a, b), carryless_multiply<0x01>(a, b) ^ carryless_multiply<0x10>(a, b),
              carryless_multiply<0x11>(a, b)};
    }
  };
  template <class Block>
  static PHALANX_INLINE GhashProduct<Block> completed(GhashProduct<Block> sum) {
    return sum;
  }
};

/// Karatsuba's method makes three multiplications: a0 b0, (a1 + a0) (b1 + b0) and a1 b1. The middle part is the sum of
/// all three, which waits until all products are added.
struct GhashKaratsuba {
  template <std::size_t num>
  struct Powers {
    std::uint8_t power[num][16];
    std::uint8_t sum_of_halves[num][16];

    template <class Block>
    void set(std::size_t i, Block value) {
      value.store(power[i]);
      ghash_sum_of_halves(value).store(sum_of_halves[i]);
    }
    template <class Vector>
    PHALANX_INLINE GhashProduct<Vector> times(std::size_t first, Vector a) const {
      const Vector b = Vector::load(power[first]);
      const Vector b_sum_of_halves = Vector::load(sum_of_halves[first]);
      return {carryless_multiply<0x00>(a, b), carryless_multiply<0x00>(ghash_sum_of_halves(a), b_sum_of_halves),
              carryless_multiply<0x11>(a, b)};
    }
  };
  template <class Block>
  static PHALANX_INLINE GhashProduct<Block> completed(GhashProduct<Block> sum) {
    return {sum.low, sum.middle ^ sum.low ^ sum.high, sum.high};
  }
};

/// The carry-less product of the low half and bits 63, 62 and 57: by shifts where multiplications are dear.
template <class Block>
PHALANX_INLINE Block ghash_times_polynomial(Block a) {
  if constexpr (requires { times_bits_63_62_57(a); }) {
    return times_bits_63_62_57(a);
  } else {
    return carryless_multiply<0x00>(a, Block::from_halves(0, 0xc200000000000000));
  }
}

/// Reduces the product modulo x^128 + x^7 + x^2 + x + 1. Its 64-bit words are, from the right, the coefficients from
/// x^192, x^128, x^64 and x^0 on. A word W is taken out by adding x^128 W = (x^7 + x^2 + x) W + W to the two words on
/// its left. The first term is the carry-less product of W and bits 63, 62 and 57, and the second is W itself.
template <class Block>
PHALANX_INLINE Block ghash_reduce(GhashProduct<Block> product) {
  const Block first = product.middle ^ swap_halves(product.low) ^ ghash_times_polynomial(product.low);
  return product.high ^ swap_halves(first) ^ ghash_times_polynomial(first);
}

/// This key fits vectors of any size, so kernels of AVX2 and of VAES share one.
template <std::size_t max_blocks, class Method>
struct alignas(64) GhashKey {
  static constexpr std::size_t most_blocks_per_vector = 4;
  static constexpr std::size_t num_with_room = max_blocks == 1 ? 1 : max_blocks + most_blocks_per_vector;
  typename Method::template Powers<num_with_room> powers;  ///< H^max_blocks, ..., H^2, H, each times x^-1; zeros
};

/// `Vector` holds one or more blocks of type `Block`; up to max_blocks blocks are reduced together.
template <class Vector, class Block, std::size_t max_blocks, class Method>
struct Ghash {
  static constexpr std::size_t blocks_per_vector = sizeof(Vector) / 16;
  static constexpr std::size_t num_powers = max_blocks;
  /// As a core's key_stack_bytes and round_stack_bytes (block_core.hpp).
  static constexpr std::size_t key_stack_bytes = 1024;
  static constexpr std::size_t update_stack_bytes = max_blocks == 1 ? 1024 : 0;

  using Key = GhashKey<max_blocks, Method>;
  using BlockType = Block;
  using Product = GhashProduct<Vector>;

  /// Y as it is kept between steps, and as SP 800-38D writes it.
  static PHALANX_INLINE Block load(const std::uint8_t* y) { return reverse_bytes128(Block::load(y)); }
  static PHALANX_INLINE void store(Block sum, std::uint8_t* y) { reverse_bytes128(sum).store(y); }

  /// These blocks follow a text, and lie in memory. Like this type, `Last` of the functions below has num_blocks and
  /// products(key, addend). These are its last block times H, the one before times H^2, and so on, with `addend` added
  /// to the first.
  struct InMemory {
    const std::uint8_t* blocks;
    std::size_t num_blocks;
    PHALANX_INLINE Product products(const Key& key, Vector addend) const {
      Sum sum{key, num_powers - num_blocks, addend, Product{addend ^ addend, addend ^ addend, addend ^ addend}};
      sum.add(blocks, num_blocks);
      return sum.product;
    }
  };
  /// These blocks follow a text, in registers as `load` has them: one that is there if num_blocks is 2, and one that
  /// always is.
  struct InRegisters {
    Block first;
    Block last;
    std::size_t num_blocks;
    PHALANX_INLINE Product products(const Key& key, Vector addend) const {
      if (num_blocks == 1) return key.powers.times(num_powers - 1, widen(last) ^ addend);
      Product sum = key.powers.times(num_powers - 1, widen(last));
      sum.add(key.powers.times(num_powers - 2, widen(first) ^ addend));
      return sum;
    }
  };

  /// Up to num_powers blocks, each times its power: those that are added one after another, and before them `last`.
  struct Sum {
    const Key& key;
    std::size_t power;  ///< of the next block
    Vector addend;      ///< to the next block: Y
    Product product;

    PHALANX_INLINE Sum(const Key& key_, std::size_t power_, Vector addend_, Product product_)
        : key(key_), power(power_), addend(addend_), product(product_) {}
    template <class Last>
    PHALANX_INLINE Sum(const Key& key_, Block y, std::size_t num_blocks, Last last)
        : key(key_),
          power(num_powers - num_blocks - last.num_blocks),
          addend(widen(y)),
          product(last.products(key, num_blocks == 0 ? addend : addend ^ addend)) {}

    /// A vector of count blocks, and zeros.
    PHALANX_INLINE void add(Vector x, std::size_t count) {
      product.add(key.powers.times(power, reverse_bytes128(x) ^ addend));
      addend = addend ^ addend;
      power += count;
    }
    PHALANX_INLINE void add(const std::uint8_t* in, std::size_t num_blocks) {
      for (; num_blocks >= blocks_per_vector; num_blocks -= blocks_per_vector) {
        add(Vector::load(in), blocks_per_vector);
        in += sizeof(Vector);
      }
      if (num_blocks == 0) return;
      add(num_blocks == 1 ? widen(Block::load(in)) : Vector::load_first(in, 16 * num_blocks), num_blocks);
    }
    PHALANX_INLINE void add_block(const std::uint8_t* in) { add(widen(Block::load(in)), 1); }
    PHALANX_INLINE Block reduced() const { return reduce(product); }
  };

  static void expand_key(const std::uint8_t* hash_subkey, Key& key) {
    const Block h = times_inverse_x(hash_subkey);
    typename Method::template Powers<1> h_alone;
    h_alone.set(0, h);
    for (std::size_t i = num_powers; i < Key::num_with_room; ++i) key.powers.set(i, Block::from_halves(0, 0));
    Block power = h;
    for (std::size_t i = num_powers; i-- != 0;) {
      key.powers.set(i, power);
      power = ghash_reduce(Method::completed(h_alone.times(0, power)));
    }
  }

  /// Y after the blocks at `in` and then `last`.
  template <class Last>
  static PHALANX_INLINE Block update(const Key& key, Block sum, const std::uint8_t* in, std::size_t num_blocks, Last last) {
    if (num_blocks + last.num_blocks > num_powers) return update_many(key, sum, in, num_blocks, last);
    if (num_blocks + last.num_blocks == 0) return sum;
    return take_in(key, sum, in, num_blocks, last);
  }

  /// Takes in groups of group_blocks blocks in steps, which can stand between other computations.
  template <std::size_t group_blocks>
  struct Stepwise {
    static_assert(group_blocks <= num_powers && group_blocks % blocks_per_vector == 0);
    static constexpr int num_steps = static_cast<int>(group_blocks / blocks_per_vector) + 1;

    const Key& key;
    Block sum;
    Product product{};

    Stepwise(const Key& key_, Block sum_) : key(key_), sum(sum_) {}

    /// For each group at `in`, step 0 to num_steps - 1 in turn; later ones do nothing.
    PHALANX_INLINE void step(int i, const std::uint8_t* in) {
      if (i == num_steps - 1) sum = reduce(product);
      if (i >= num_steps - 1) return;
      const auto first = static_cast<std::size_t>(i) * blocks_per_vector;
      const std::size_t power = num_powers - group_blocks + first;
      const Vector x = reverse_bytes128(Vector::load(in + 16 * first));
      if (i == 0) {
        product = key.powers.times(power, x ^ widen(sum));
      } else {
        product.add(key.powers.times(power, x));
      }
    }
  };

 private:
  /// More than are reduced together. Out of line, for its frame: a few blocks need none.
  template <class Last>
  static __attribute__((noinline)) Block update_many(const Key& key, Block sum, const std::uint8_t* in,
                                                     std::size_t num_blocks, Last last) {
    for (; num_blocks >= num_powers && num_blocks + last.num_blocks > num_powers; num_blocks -= num_powers) {
      sum = take_in(key, sum, in, num_powers, InMemory{nullptr, 0});
      in += 16 * num_powers;
      if (num_powers > 1) __asm__ volatile("" : : : "memory");  // else the powers are put aside on the stack before the loop
    }
    if (num_blocks + last.num_blocks > num_powers) {  // `last` has no room beside the rest
      if (num_blocks != 0) sum = take_in(key, sum, in, num_blocks, InMemory{nullptr, 0});
      if constexpr (requires { last.blocks += 16; }) {
        for (; last.num_blocks > num_powers; --last.num_blocks, last.blocks += 16) {
          sum = take_in(key, sum, last.blocks, 1, InMemory{nullptr, 0});
        }
      }
      num_blocks = 0;
    }
    if (num_blocks + last.num_blocks != 0) sum = take_in(key, sum, in, num_blocks, last);
    return sum;
  }

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
  static PHALANX_INLINE Block reduce(const Product& product) {
    const GhashProduct<Block> sum{sum_of_blocks(product.low), sum_of_blocks(product.middle), sum_of_blocks(product.high)};
    return ghash_reduce(Method::completed(sum));
  }

  /// Y after 1 to num_powers blocks.
  template <class Last>
  static PHALANX_INLINE Block take_in(const Key& key, Block y, const std::uint8_t* in, std::size_t num_blocks, Last last) {
    Sum sum(key, y, num_blocks, last);
    sum.add(in, num_blocks);
    return sum.reduced();
  }
};

}  // namespace
}  // namespace phalanx
