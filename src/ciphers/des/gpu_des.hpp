// DES, double DES and triple DES on a GPU, bitsliced: a thread crypts 32 blocks, each bit of them in one register.
//
// All indices of the 64 planes are constants, so IP, its inverse, E and P cost nothing. Each bit of the half that goes through f
// is kept XORed with the round key bit of its next use, so that L ^ f ^ (difference of two key bits) is one three-input
// operation; the 16 bits that E takes twice need another XOR for their second use. That makes 48 XORs a round, where keys
// added to E's output and f added to L would take 80.
#pragma once

#include <utility>

#include "ciphers/des/des_core.hpp"
#include "lanes/gpu_block.hpp"

namespace phalanx {
namespace {

/// A mask m, 0 or ~0, to add to a register by multiplication: x ^ m = x * factor + m where factor is 1 or -1. GPUs multiply
/// and add in another unit than the one for logic, which these kernels keep busy.
struct GpuDesFlip {
  std::uint32_t factor;
  std::uint32_t mask;

  PHALANX_INLINE GpuWord operator()(GpuWord x) const { return {x.bits * factor + mask}; }
};

/// The masks of one S-box in one round, each 0 or ~0; two accesses of 16 bytes.
struct alignas(16) GpuDesBoxKey {
  GpuDesFlip second_use[2];  ///< for inputs 1 and 2, bits that E takes twice: the second key bit ^ the first
  std::uint32_t update[4];   ///< for the bits of L that the outputs go to: the key bit of the last use ^ that of the next
};

/// The masks of one direction.
struct alignas(16) GpuDesKeys {
  GpuDesBoxKey box[max_des_passes][16][8];
  std::uint32_t whiten[max_des_passes + 1]
                      [32];  ///< before each pass, for the half that goes through f first; after the last
};

struct GpuDesSchedule {
  std::uint32_t num_passes;
  GpuDesKeys keys[num_directions];
};

/// E's position (from 0) at which a bit of R (from 0) is used first: the last two positions of a box for the bits that the next
/// box uses again.
constexpr unsigned first_use(unsigned bit) {
  for (unsigned i = 0; i < 48; ++i) {
    if (E[i] == bit + 1 && i % 6 >= 2) return i;
  }
  return 48;
}

/// Makes the masks of a direction from the rounds' keys in the order of their use: bit i of round r is key_bit(r, i), 0 or 1.
template <class KeyBit>
void expand_des_masks(unsigned num_passes, KeyBit key_bit, GpuDesKeys& keys) {
  const auto mask = [&key_bit](unsigned round, unsigned i) -> std::uint32_t { return 0U - key_bit(round, i); };
  for (unsigned pass = 0; pass <= num_passes; ++pass) {
    for (unsigned bit = 0; bit < 32; ++bit) {
      // The half that the last round of a pass took goes through f again in the first round of the next.
      keys.whiten[pass][bit] =
          (pass == 0 ? 0 : mask(16 * pass - 1, first_use(bit))) ^ (pass == num_passes ? 0 : mask(16 * pass, first_use(bit)));
    }
  }
  for (unsigned r = 0; r < 16 * num_passes; ++r) {
    for (unsigned box = 0; box < 8; ++box) {
      GpuDesBoxKey& key = keys.box[r / 16][r % 16][box];
      for (unsigned i = 0; i < 2; ++i) {
        const std::uint32_t flip = mask(r, 6 * box + i) ^ mask(r, first_use(E[6 * box + i] - 1U));
        key.second_use[i] = {flip | 1, flip};
      }
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned bit = inverse_p.position[4 * box + i] - 1U;
        key.update[i] = (r % 16 == 0 ? 0 : mask(r - 1, first_use(bit))) ^ (r % 16 == 15 ? 0 : mask(r + 1, first_use(bit)));
      }
    }
  }
}

PHALANX_INLINE GpuWord xor3(GpuWord a, GpuWord b, GpuWord c) { return lut3<0x96>(a, b, c); }

/// L ^= f(R, K), both halves with their key bits (above).
template <unsigned box>
PHALANX_INLINE void gpu_feistel_box(GpuWord left[32], const GpuWord right[32], const GpuDesBoxKey* keys) {
  const GpuDesBoxKey key = keys[box];
  constexpr unsigned in[6] = {E[6 * box] - 1U,     E[6 * box + 1] - 1U, E[6 * box + 2] - 1U,
                              E[6 * box + 3] - 1U, E[6 * box + 4] - 1U, E[6 * box + 5] - 1U};
  constexpr unsigned to[4] = {inverse_p.position[4 * box] - 1U, inverse_p.position[4 * box + 1] - 1U,
                              inverse_p.position[4 * box + 2] - 1U, inverse_p.position[4 * box + 3] - 1U};
  const SBoxOutput<GpuWord> s = des_s_box<box>(key.second_use[0](right[in[0]]), key.second_use[1](right[in[1]]),
                                               right[in[2]], right[in[3]], right[in[4]], right[in[5]]);
  left[to[0]] = xor3(left[to[0]], s.y1, {key.update[0]});
  left[to[1]] = xor3(left[to[1]], s.y2, {key.update[1]});
  left[to[2]] = xor3(left[to[2]], s.y3, {key.update[2]});
  left[to[3]] = xor3(left[to[3]], s.y4, {key.update[3]});
}

PHALANX_INLINE void gpu_feistel(GpuWord left[32], const GpuWord right[32], const GpuDesBoxKey* key) {
  gpu_feistel_box<0>(left, right, key);
  gpu_feistel_box<1>(left, right, key);
  gpu_feistel_box<2>(left, right, key);
  gpu_feistel_box<3>(left, right, key);
  gpu_feistel_box<4>(left, right, key);
  gpu_feistel_box<5>(left, right, key);
  gpu_feistel_box<6>(left, right, key);
  gpu_feistel_box<7>(left, right, key);
}

/// One step of transpose_bits: exchanges the bits off the diagonal in blocks of 2 * distance.
template <unsigned distance>
PHALANX_INLINE void exchange_bits(std::uint32_t x[32]) {
  constexpr GpuWord low = {distance == 4 ? 0x0f0f0f0fU : distance == 2 ? 0x33333333U : 0x55555555U};
  // The bits of `low` from the first, the others from the second: one lookup, which compilers do not find.
  const auto select = [low](std::uint32_t a, std::uint32_t b) { return lut3<0xe4>(GpuWord{a}, GpuWord{b}, low).bits; };
  PHALANX_UNROLL
  for (unsigned i = 0; i < 32; ++i) {
    if ((i & distance) != 0) continue;
    const std::uint32_t a = x[i];
    const std::uint32_t b = x[i + distance];
    x[i] = select(a, b << distance);
    x[i + distance] = select(a >> distance, b);
  }
}

/// The 32 x 32 matrix of bits whose row i is x[i], transposed: bit i of x[j] becomes bit j of x[i].
PHALANX_INLINE void transpose_bits(std::uint32_t x[32]) {
  PHALANX_UNROLL
  for (unsigned i = 0; i < 16; ++i) {  // by 16: halves of words
    const std::uint32_t a = x[i];
    const std::uint32_t b = x[i + 16];
    x[i] = permute_bytes<0x5410>(a, b);
    x[i + 16] = permute_bytes<0x7632>(a, b);
  }
  PHALANX_UNROLL
  for (unsigned i = 0; i < 32; ++i) {  // by 8: bytes
    if ((i & 8) != 0) continue;
    const std::uint32_t a = x[i];
    const std::uint32_t b = x[i + 8];
    x[i] = permute_bytes<0x6240>(a, b);
    x[i + 8] = permute_bytes<0x7351>(a, b);
  }
  exchange_bits<4>(x);
  exchange_bits<2>(x);
  exchange_bits<1>(x);
}

/// body(i) for i = 0 ... count - 1, each i a constant, as device code needs it to look into the standard's tables.
template <unsigned i>
struct ConstantIndex {
  static constexpr unsigned value = i;
};
template <class Body, unsigned... i>
PHALANX_INLINE void for_each_index(std::integer_sequence<unsigned, i...> /*indices*/, Body body) {
  (body(ConstantIndex<i>{}), ...);
}
template <unsigned count, class Body>
PHALANX_INLINE void for_each_index(Body body) {
  for_each_index(std::make_integer_sequence<unsigned, count>{}, body);
}

/// The plane of bit n of a block (FIPS 46-3: from 1, the leftmost first), of planes as transposing the two words of the blocks
/// makes them.
template <unsigned n>
PHALANX_INLINE std::uint32_t& plane(std::uint32_t planes[2][32]) {
  constexpr unsigned word = (n - 1) / 32;
  constexpr unsigned place = (n - 1) / 8 % 4 * 8 + 7 - (n - 1) % 8;
  return planes[word][place];
}

struct GpuDes {
  static constexpr std::size_t block_bytes = 8;
  static constexpr unsigned blocks_per_thread = 32;
  static constexpr unsigned threads_per_block = 256;
  static constexpr unsigned resident_blocks = 2;
  static constexpr unsigned grid_blocks = 8;
  static constexpr std::size_t shared_bytes = sizeof(GpuDesKeys);
  using Schedule = GpuDesSchedule;

  const GpuDesKeys* keys;  ///< in shared memory, which hands out 16 bytes at a time

  static void expand_key(const std::uint8_t* key, std::size_t key_bytes, Schedule& schedule) {
    std::uint64_t keys[max_des_passes] = {};
    schedule.num_passes = static_cast<std::uint32_t>(key_bytes / 8);
    for (unsigned pass = 0; pass < schedule.num_passes; ++pass) keys[pass] = reverse_bytes(load_u64(key + 8 * pass));
    const auto bit = [&](unsigned r, unsigned i) {  // bit i of the key of round r of all, encrypting
      const unsigned from = round_key_bits.key_bit[key_round(schedule.num_passes, r / 16, r % 16)][i];
      return static_cast<std::uint32_t>(keys[r / 16] >> (63 - from) & 1);
    };
    const unsigned last = 16 * schedule.num_passes - 1;
    expand_des_masks(schedule.num_passes, bit, schedule.keys[0]);
    expand_des_masks(
        schedule.num_passes, [&](unsigned r, unsigned i) { return bit(last - r, i); }, schedule.keys[1]);
    wipe(keys, sizeof keys);
  }

  template <Direction direction>
  PHALANX_INLINE void prepare(const Schedule& schedule, std::uint8_t* shared) {
    const auto* const from = reinterpret_cast<const std::uint32_t*>(&schedule.keys[static_cast<unsigned>(direction)]);
    each_word(shared, [from](unsigned i) { return from[i]; });
    keys = reinterpret_cast<const GpuDesKeys*>(shared);
  }
  PHALANX_INLINE void finish(std::uint8_t* shared) {
    each_word(shared, [](unsigned /*i*/) { return 0U; });
  }
  /// Sets the words of shared memory, by all threads of a CUDA block.
  template <class Value>
  static PHALANX_INLINE void each_word(std::uint8_t* shared, Value value) {
    auto* const words = reinterpret_cast<std::uint32_t*>(shared);
#if defined(__CUDA_ARCH__)
    __syncthreads();
    for (unsigned i = threadIdx.x; i < sizeof(GpuDesKeys) / 4; i += blockDim.x) words[i] = value(i);
    __syncthreads();
#else
    for (unsigned i = 0; i < sizeof(GpuDesKeys) / 4; ++i) words[i] = value(i);
#endif
  }

  /// All passes; afterwards the halves are exchanged, as FIPS 46-3 has it after round 16.
  static PHALANX_INLINE void crypt_planes(const GpuDesKeys& keys, unsigned num_passes, GpuWord left[32], GpuWord right[32]) {
    PHALANX_NO_UNROLL
    for (unsigned pass = 0; pass < num_passes; ++pass) {
      PHALANX_UNROLL
      for (unsigned i = 0; i < 32; ++i) right[i] = right[i] ^ GpuWord { keys.whiten[pass][i] };
      PHALANX_NO_UNROLL
      for (unsigned round = 0; round < 16; round += 2) {
        gpu_feistel(left, right, keys.box[pass][round]);
        gpu_feistel(right, left, keys.box[pass][round + 1]);
      }
      swap_halves(left, right);
    }
    PHALANX_UNROLL
    for (unsigned i = 0; i < 32; ++i) right[i] = right[i] ^ GpuWord { keys.whiten[num_passes][i] };
  }
  static PHALANX_INLINE void swap_halves(GpuWord left[32], GpuWord right[32]) {
    PHALANX_UNROLL
    for (unsigned i = 0; i < 32; ++i) {
      const GpuWord x = left[i];
      left[i] = right[i];
      right[i] = x;
    }
  }

  template <Direction direction>
  PHALANX_INLINE void crypt(const Schedule& schedule, GpuBlock64 x[32]) {
    crypt_blocks(SharedKeys{*keys, schedule.num_passes}, x);
  }

  /// One key in all lanes.
  struct SharedKeys {
    const GpuDesKeys& keys;
    unsigned num_passes;

    PHALANX_INLINE void crypt_planes(GpuWord left[32], GpuWord right[32]) const {
      GpuDes::crypt_planes(keys, num_passes, left, right);
    }
  };

  template <class Keys>
  static PHALANX_INLINE void crypt_blocks(const Keys& keys, GpuBlock64 x[32]) {
    std::uint32_t planes[2][32];
    PHALANX_UNROLL
    for (unsigned i = 0; i < 32; ++i) {
      planes[0][i] = x[i].word[0];
      planes[1][i] = x[i].word[1];
    }
    transpose_bits(planes[0]);
    transpose_bits(planes[1]);
    crypt_from_planes(keys, planes, x);
  }

  /// From the planes of the blocks to the blocks crypted.
  template <class Keys>
  static PHALANX_INLINE void crypt_from_planes(const Keys& keys, std::uint32_t planes[2][32], GpuBlock64 x[32]) {
    GpuWord left[32];
    GpuWord right[32];
    for_each_index<32>([&](auto i) {
      constexpr unsigned n = i.value;
      left[n] = {plane<IP[n]>(planes)};
      right[n] = {plane<IP[32 + n]>(planes)};
    });
    keys.crypt_planes(left, right);
    for_each_index<32>([&](auto i) {
      constexpr unsigned n = i.value;
      plane<IP[n]>(planes) = left[n].bits;
      plane<IP[32 + n]>(planes) = right[n].bits;
    });
    transpose_bits(planes[0]);
    transpose_bits(planes[1]);
    PHALANX_UNROLL
    for (unsigned i = 0; i < 32; ++i) x[i] = {{planes[0][i], planes[1][i]}};
  }

  /// The mask of a bit: all of them equal to it.
  template <unsigned bit>
  static PHALANX_INLINE std::uint32_t spread(std::uint32_t number) {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(number << (31 - bit)) >> 31);
  }

  /// Counters made as planes: the blocks of a thread are low, low + 32, ..., so the five lowest bits are the same in all; what those
  /// five and the next five carry makes the upper 54 bits those of one of two numbers.
  PHALANX_INLINE void encrypt_counters(const Schedule& schedule, std::uint64_t /*high*/, std::uint64_t low,
                                       GpuBlock64 x[32]) {
    std::uint32_t planes[2][32];
    constexpr std::uint32_t index_bit[5] = {0xaaaaaaaaU, 0xccccccccU, 0xf0f0f0f0U, 0xff00ff00U, 0xffff0000U};
    const std::uint64_t changes = low ^ (low + 1024);  // above the ten lowest bits, by a carry
    const auto low_word = static_cast<std::uint32_t>(low);
    const auto high_word = static_cast<std::uint32_t>(low >> 32);
    const auto low_changes = static_cast<std::uint32_t>(changes);
    const auto high_changes = static_cast<std::uint32_t>(changes >> 32);
    std::uint32_t carry = 0;
    for_each_index<32>([&](auto i) {  // bit i of the big-endian counter, from the lowest
      constexpr unsigned bit = i.value;
      const std::uint32_t a = spread<bit>(low_word);
      if constexpr (bit < 5) {
        plane<64 - bit>(planes) = a;
      } else if constexpr (bit < 10) {  // plus 32 j, j the block's place
        constexpr std::uint32_t b = index_bit[bit - 5];
        plane<64 - bit>(planes) = a ^ b ^ carry;
        carry = (a & b) | (carry & (a | b));
      } else {
        plane<64 - bit>(planes) = a ^ (carry & spread<bit>(low_changes));
      }
      plane<32 - bit>(planes) = spread<bit>(high_word);
    });
    if (high_changes != 0) {  // once in 2^22 tiles
      for_each_index<32>([&](auto i) { plane<32 - i.value>(planes) ^= carry & spread<i.value>(high_changes); });
    }
    crypt_from_planes(SharedKeys{*keys, schedule.num_passes}, planes, x);
  }
};

}  // namespace
}  // namespace phalanx
