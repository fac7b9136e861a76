// DES, double DES and triple DES on a GPU, bitsliced: a thread crypts 32 blocks, each bit of them in one register.
//
// All indices of the 64 planes are constants, so IP, its inverse, E and P cost nothing. Each bit of the half that goes
// through f is kept XORed with the round key bit of its next use, so that L ^ f ^ (difference of two key bits) is one
// three-input operation; the 16 bits that E takes twice need another XOR for their second use. That makes 48 XORs a round,
// where keys added to E's output and f added to L would take 80.
#pragma once

#include "engine/bytes/constant_index.hpp"
#include "engine/ciphers/des/des_core.hpp"
#include "engine/ciphers/des/des_table_core.hpp"
#include "engine/lanes/gpu_block.hpp"

namespace phalanx {
namespace {

/// A mask m, 0 or ~0, to add to a register by multiplication: x ^ m = x * factor + m where factor is 1 or -1. GPUs multiply
/// and add in another unit than the one for logic, which these kernels keep busy.
struct GpuDesFlip {
  std::uint32_t factor;
  std::uint32_t mask;

  PHALANX_INLINE GpuWord operator()(GpuWord x) const { return {x.bits * factor + mask}; }
};

PHALANX_INLINE GpuWord xor3(GpuWord a, GpuWord b, GpuWord c) { return lut3<0x96>(a, b, c); }

/// The masks of one S-box in one round, each 0 or ~0; two accesses of 16 bytes. The key of a box, as des_feistel.hpp has it.
struct alignas(16) GpuDesBoxKey {
  GpuDesFlip second_use[2];  ///< for inputs 1 and 2, bits that E takes twice: the second key bit ^ the first
  std::uint32_t
      update_mask[4];  ///< for the bits of L that the outputs go to: the key bit of the last use ^ that of the next

  template <unsigned i>
  PHALANX_INLINE GpuWord input(GpuWord r) const {
    if constexpr (i >= 2) return r;
    if constexpr (i < 2) return second_use[i](r);
  }
  template <unsigned k>
  PHALANX_INLINE GpuWord update(GpuWord l, GpuWord s) const {
    return xor3(l, s, {update_mask[k]});
  }
};

/// The masks of one direction.
struct alignas(16) GpuDesKeys {
  GpuDesBoxKey box[max_des_passes][16][8];
  std::uint32_t whiten[max_des_passes + 1]
                      [32];  ///< before each pass, for the half that goes through f first; after the last
};

/// Those of a direction for des_table_core.hpp: of two rounds each.
struct alignas(16) GpuDesTableKeys {
  std::uint32_t pair[8 * max_des_passes][4];
};

struct GpuDesSchedule {
  std::uint32_t num_passes;
  GpuDesKeys keys[num_directions];
  GpuDesTableKeys table_keys[num_directions];
};

/// The masks of a direction, from the folded schedule that CPUs use (des_key.hpp).
inline void take_des_masks(const DesSchedule& schedule, Direction direction, GpuDesKeys& keys) {
  const bool encrypts = direction == Direction::encrypt;
  const auto num_passes = static_cast<unsigned>(schedule.num_passes);
  for (unsigned pass = 0; pass <= num_passes; ++pass) {
    const std::uint64_t* const edge = schedule.edge[encrypts ? pass : num_passes - pass];
    for (unsigned i = 1; i <= 32; ++i) keys.whiten[pass][i - 1] = static_cast<std::uint32_t>(edge[plane_of(i) / 2]);
  }
  for (unsigned r = 0; r < 16 * num_passes; ++r) {
    const std::uint64_t* const bit = schedule.bit[encrypts ? r : 16 * num_passes - 1 - r];
    for (unsigned box = 0; box < 8; ++box) {
      GpuDesBoxKey& key = keys.box[r / 16][r % 16][box];
      for (unsigned i = 0; i < 2; ++i) {
        const auto mask = static_cast<std::uint32_t>(bit[6 * box + i]);
        key.second_use[i] = {mask | 1, mask};
      }
      for (unsigned k = 0; k < 4; ++k) {
        key.update_mask[k] = static_cast<std::uint32_t>(bit[folded_use_of(inverse_p.position[4 * box + k])]);
      }
    }
  }
}

/// The planes of a thread's blocks in its registers.
struct DesPlanesInRegisters {
  using Word = GpuWord;
  static constexpr bool pairs_boxes = false;
  static constexpr std::size_t place(std::size_t i) { return i - 1; }

  GpuWord* l;
  GpuWord* r;

  PHALANX_INLINE GpuWord* left() const { return l; }
  PHALANX_INLINE GpuWord* right() const { return r; }
  PHALANX_INLINE void exchange() const {
    PHALANX_UNROLL
    for (unsigned i = 0; i < 32; ++i) {
      const GpuWord x = l[i];
      l[i] = r[i];
      r[i] = x;
    }
  }
};

/// One key in all lanes, for des_passes and for GpuDes::crypt_blocks.
struct GpuDesSharedKeys {
  static constexpr unsigned rounds_at_once = 2;
  const GpuDesKeys& keys;
  unsigned num_passes;

  struct RoundKey {
    const GpuDesBoxKey* boxes;

    template <unsigned b>
    PHALANX_INLINE GpuDesBoxKey box() const {
      return boxes[b];
    }
  };
  struct TwoRounds {
    const GpuDesBoxKey (*boxes)[8];

    template <unsigned j>
    PHALANX_INLINE RoundKey of() const {
      return {boxes[j]};
    }
  };

  PHALANX_INLINE void begin_pass(unsigned pass, GpuWord* right) const {
    PHALANX_UNROLL
    for (unsigned i = 0; i < 32; ++i) right[i] = right[i] ^ GpuWord { keys.whiten[pass][i] };
  }
  PHALANX_INLINE TwoRounds rounds(unsigned pass, unsigned round) const { return {keys.box[pass] + round}; }
  PHALANX_INLINE void end_rounds(unsigned /*pass*/, unsigned /*round*/) const {}
  PHALANX_INLINE void end_passes(GpuWord* right) const { begin_pass(num_passes, right); }
};

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

/// The plane of bit n of a block (FIPS 46-3: from 1, the leftmost first), of planes as transposing the two words of the
/// blocks makes them.
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
    DesSchedule folded;
    expand_des_key<KeyForm::folded>(key, key_bytes, folded);
    schedule.num_passes = static_cast<std::uint32_t>(folded.num_passes);
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      take_des_masks(folded, direction, schedule.keys[static_cast<unsigned>(direction)]);
      GpuDesTableKeys& table_keys = schedule.table_keys[static_cast<unsigned>(direction)];
      expand_des_round_keys(key, schedule.num_passes, direction, [&](unsigned i, const std::uint32_t words[4]) {
        for (unsigned j = 0; j < 4; ++j) table_keys.pair[i][j] = words[j];
      });
    }
    wipe(&folded, sizeof folded);
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

  template <Direction direction>
  PHALANX_INLINE void crypt(const Schedule& schedule, GpuBlock64 x[32]) {
    crypt_blocks(GpuDesSharedKeys{*keys, schedule.num_passes}, x);
  }

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
    DesPlanesInRegisters halves{left, right};
    des_passes(halves, keys.num_passes, keys);
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

  /// Counters made as planes: the blocks of a thread are low, low + 32, ..., so the five lowest bits are the same in all;
  /// what those five and the next five carry makes the upper 54 bits those of one of two numbers.
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
    crypt_from_planes(GpuDesSharedKeys{*keys, schedule.num_passes}, planes, x);
  }
};

}  // namespace
}  // namespace phalanx
