// One DES block at a time, or a few, without secret addresses: each output bit of an S-box is a 64-bit truth table, shifted
// by the box's six input bits. Shift counts do not change the time of a shift. For CBC, CFB and OFB encryption of a single
// message, where each block must wait for the one before; and, where there are no shuffles of bytes, for ranges too short to
// fill the lanes of the sliced core: a few of their blocks go through the rounds together, each while the others wait.
#pragma once

#include "engine/ciphers/des/des_core.hpp"
#include "engine/ciphers/des/des_s_boxes.hpp"
#include "engine/lanes/word_scalar.hpp"
#include "engine/secrets/stack_wipe.hpp"

namespace phalanx {
namespace {

/// truth[box][k]: bit x is output bit k (0 the most significant) of the box at input a1..a6 = x.
struct DesTruthTables {
  std::uint64_t truth[8][4];
};

constexpr DesTruthTables make_des_truth_tables() {
  DesTruthTables tables{};
  for (unsigned box = 0; box < 8; ++box) {
    for (unsigned x = 0; x < 64; ++x) {
      const unsigned output = des_s_box(box, x);
      for (unsigned k = 0; k < 4; ++k) tables.truth[box][k] |= static_cast<std::uint64_t>(output >> (3 - k) & 1) << x;
    }
  }
  return tables;
}

inline constexpr DesTruthTables des_truth_tables = make_des_truth_tables();

/// The six bits of E(R) that enter the box, R's bit 1 being the most significant: bits 4 box to 4 box + 5, cyclically.
template <unsigned box>
PHALANX_INLINE std::uint32_t des_box_input(std::uint32_t right, std::uint64_t round_key) {
  constexpr unsigned left_turn = (5 + 4 * box) % 32;
  const std::uint32_t turned = left_turn == 0 ? right : right << left_turn | right >> (32 - left_turn);
  return (turned ^ static_cast<std::uint32_t>(round_key >> (8 * box))) & 63;
}

/// P applied to the four output bits of one box.
template <unsigned box>
PHALANX_INLINE std::uint32_t des_box(std::uint32_t right, std::uint64_t round_key) {
  const std::uint32_t x = des_box_input<box>(right, round_key);
  constexpr const std::uint64_t* truth = des_truth_tables.truth[box];
  constexpr const std::uint8_t* to = inverse_p.position + 4 * box;
  std::uint32_t f = 0;
  f |= (static_cast<std::uint32_t>(truth[0] >> x) & 1) << (32 - to[0]);
  f |= (static_cast<std::uint32_t>(truth[1] >> x) & 1) << (32 - to[1]);
  f |= (static_cast<std::uint32_t>(truth[2] >> x) & 1) << (32 - to[2]);
  f |= (static_cast<std::uint32_t>(truth[3] >> x) & 1) << (32 - to[3]);
  return f;
}

PHALANX_INLINE std::uint32_t des_f(std::uint32_t right, std::uint64_t key) {
  return des_box<0>(right, key) | des_box<1>(right, key) | des_box<2>(right, key) | des_box<3>(right, key) |
         des_box<4>(right, key) | des_box<5>(right, key) | des_box<6>(right, key) | des_box<7>(right, key);
}

/// Exchanges the bits of a under mask << shift with those of b under mask.
PHALANX_INLINE void exchange_bits(std::uint32_t& a, std::uint32_t& b, unsigned shift, std::uint32_t mask) {
  const std::uint32_t difference = (a >> shift ^ b) & mask;
  b ^= difference;
  a ^= difference << shift;
}

/// IP as exchanges between the halves of the block: in its 8 x 8 matrix of bits IP takes columns, right to left, the even
/// numbered ones for L and the odd for R.
PHALANX_INLINE void initial_permutation(std::uint32_t& left, std::uint32_t& right) {
  exchange_bits(left, right, 4, 0x0f0f0f0f);
  exchange_bits(left, right, 16, 0x0000ffff);
  exchange_bits(right, left, 2, 0x33333333);
  exchange_bits(right, left, 8, 0x00ff00ff);
  exchange_bits(left, right, 1, 0x55555555);
}

/// The inverse: the same exchanges in the opposite order.
PHALANX_INLINE void inverse_initial_permutation(std::uint32_t& left, std::uint32_t& right) {
  exchange_bits(left, right, 1, 0x55555555);
  exchange_bits(right, left, 8, 0x00ff00ff);
  exchange_bits(right, left, 2, 0x33333333);
  exchange_bits(left, right, 16, 0x0000ffff);
  exchange_bits(left, right, 4, 0x0f0f0f0f);
}

/// Crypts blocks with a round function f over some representation of a half: Rounds::from_half, to_half, and
/// feistel<num_blocks>(left, right, round_key), which is left ^= f(right) for each. `blocks` are big-endian numbers.
template <Direction direction, class Rounds, std::size_t num_blocks>
PHALANX_INLINE void crypt_des_blocks(const DesSchedule& schedule, std::uint64_t blocks[num_blocks]) {
  using Half = decltype(Rounds::from_half(0));
  Half left[num_blocks];
  Half right[num_blocks];
  for (std::size_t i = 0; i < num_blocks; ++i) {
    auto left_half = static_cast<std::uint32_t>(blocks[i] >> 32);
    auto right_half = static_cast<std::uint32_t>(blocks[i]);
    initial_permutation(left_half, right_half);
    left[i] = Rounds::from_half(left_half);
    right[i] = Rounds::from_half(right_half);
  }
  const std::size_t num_rounds = 16 * schedule.num_passes;
  const auto round_key = [&](std::size_t r) PHALANX_INLINE_LAMBDA {
    return schedule.round_key + (direction == Direction::encrypt ? r : num_rounds - 1 - r);
  };
#pragma GCC unroll 1
  for (std::size_t pass_start = 0; pass_start < num_rounds; pass_start += 16) {
#pragma GCC unroll 1
    for (std::size_t r = pass_start; r < pass_start + 16; r += 2) {
      Rounds::template feistel<num_blocks>(left, right, round_key(r));
      Rounds::template feistel<num_blocks>(right, left, round_key(r + 1));
    }
    for (std::size_t i = 0; i < num_blocks; ++i) {
      const auto exchanged = left[i];  // R16 L16: the halves that leave a pass are exchanged
      left[i] = right[i];
      right[i] = exchanged;
    }
  }
  for (std::size_t i = 0; i < num_blocks; ++i) {
    std::uint32_t left_half = Rounds::to_half(left[i]);
    std::uint32_t right_half = Rounds::to_half(right[i]);
    inverse_initial_permutation(left_half, right_half);
    blocks[i] = static_cast<std::uint64_t>(left_half) << 32 | right_half;
  }
}

template <Direction direction, class Rounds>
PHALANX_INLINE void crypt_des_block(const DesSchedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
  std::uint64_t block[1] = {reverse_bytes(load_u64(in))};
  crypt_des_blocks<direction, Rounds, 1>(schedule, block);
  store_u64(out, reverse_bytes(block[0]));
}

/// num_blocks blocks together, as a core (engine/ciphers/block_core.hpp): the narrowest of the sliced one.
template <class Rounds, std::size_t num_blocks = 4>
struct DesFewBlocks : WithNarrower<DesFewBlocks<Rounds, num_blocks / 2>, (num_blocks > 2)> {
  static constexpr std::size_t block_bytes = 8;
  static constexpr std::size_t lanes = num_blocks;
  static constexpr bool stores_last_first = false;
  static constexpr Fetches fetches = Fetches::nothing;
  static constexpr int num_steps_beside = 0;
  static constexpr std::size_t rounds_stack_bytes = 256 + 64 * num_blocks;
  using Vector = Word64;
  using Schedule = DesSchedule;

  /// Not inlined: every mode shares this one copy.
  template <Direction direction>
  static __attribute__((noinline)) void crypt_blocks(const DesSchedule& schedule, std::uint64_t blocks[num_blocks]) {
    call_then_wipe_stack<rounds_stack_bytes>([&] { crypt_des_blocks<direction, Rounds, num_blocks>(schedule, blocks); });
  }
  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt(const Schedule& schedule, Load load, Store store) {
    std::uint64_t blocks[num_blocks];
    for (std::size_t i = 0; i < num_blocks; ++i) blocks[i] = reverse_bytes(load(i).bits);
    crypt_blocks<direction>(schedule, blocks);
    for (std::size_t i = 0; i < num_blocks; ++i) store(i, Word64{reverse_bytes(blocks[i])});
  }
  template <Direction direction>
  static PHALANX_INLINE void crypt_block(const Schedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    Rounds::template crypt_block<direction>(schedule, in, out);
  }
  template <class Store>
  static PHALANX_INLINE void crypt_counters(const Schedule& schedule, std::uint64_t first, Store store,
                                            PrefetchHint /*ahead*/) {
    crypt<Direction::encrypt>(
        schedule, [first](std::size_t i) PHALANX_INLINE_LAMBDA { return Word64{reverse_bytes(first + i)}; }, store);
  }
};

/// Rounds in 64-bit registers.
struct SerialDes {
  /// Up to so many messages, one after another, cost less than a group of the sliced core that goes with it.
  static constexpr std::size_t worth_messages = 4;

  static PHALANX_INLINE std::uint32_t from_half(std::uint32_t half) { return half; }
  static PHALANX_INLINE std::uint32_t to_half(std::uint32_t half) { return half; }
  template <std::size_t num_blocks>
  static PHALANX_INLINE void feistel(std::uint32_t* left, const std::uint32_t* right, const std::uint64_t* round_key) {
    for (std::size_t i = 0; i < num_blocks; ++i) left[i] ^= des_f(right[i], *round_key);
  }

  template <Direction direction>
  static __attribute__((noinline)) void crypt_block(const DesSchedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    constexpr std::size_t stack_bytes = 384;
    call_then_wipe_stack<stack_bytes>([&] { crypt_des_block<direction, SerialDes>(schedule, in, out); });
  }
};

/// What SerialDesVector holds in its 64-bit elements, one for each box.
struct alignas(64) DesBoxElements {
  std::uint64_t truth[4][8];     ///< [output bit][box]
  std::uint64_t to_f[4][8];      ///< from bit 63, right to where P puts the output bit in the low half
  std::uint64_t in_f[4][8];      ///< that place as a bit
  std::uint64_t input_shift[8];  ///< from two copies of R, right to the six bits of E(R)
};

constexpr DesBoxElements make_des_box_elements() {
  DesBoxElements elements{};
  for (unsigned box = 0; box < 8; ++box) {
    elements.input_shift[box] = (27 + 32 - 4 * box) % 32;
    for (unsigned k = 0; k < 4; ++k) {
      elements.truth[k][box] = des_truth_tables.truth[box][k];
      elements.to_f[k][box] = 63 - (32 - inverse_p.position[4 * box + k]);
      elements.in_f[k][box] = std::uint64_t{1} << (63 - elements.to_f[k][box]);
    }
  }
  return elements;
}

inline constexpr DesBoxElements des_box_elements = make_des_box_elements();

/// The same rounds with all boxes side by side, a 64-bit element each; W has shifts by a count of each element's own. A half
/// is kept as two copies in every element.
template <class W>
struct SerialDesVector {
  static constexpr std::size_t boxes_per_word = sizeof(W) / 8;
  static constexpr std::size_t worth_messages = boxes_per_word == 8 ? 4 : 6;

  static PHALANX_INLINE W from_half(std::uint32_t half) { return W::broadcast64(half * 0x100000001U); }
  static PHALANX_INLINE std::uint32_t to_half(W half) { return static_cast<std::uint32_t>(first64(half)); }

  /// 63 less the six input bits of each of boxes_per_word boxes from `box` on: brings that bit of a truth table to bit 63.
  static PHALANX_INLINE W to_top(W right, const std::uint64_t* round_key, std::size_t box) {
    const W from = W::load(des_box_elements.input_shift + box);
    const W key = W::widen_bytes(reinterpret_cast<const std::uint8_t*>(round_key) + box);
    return and_not(W::broadcast64(63), shift_right_each64(right, from) ^ key);
  }
  /// Output bit k of those boxes, at its place in f.
  static PHALANX_INLINE W output(W shift, std::size_t box, std::size_t k) {
    const W bit = shift_left_each64(W::load(des_box_elements.truth[k] + box), shift);
    if constexpr (requires { where_top_bit64(bit, bit); }) {
      return where_top_bit64(bit, W::load(des_box_elements.in_f[k] + box));
    } else {
      constexpr std::uint64_t top = std::uint64_t{1} << 63;
      return shift_right_each64(bit & W::broadcast64(top), W::load(des_box_elements.to_f[k] + box));
    }
  }
  template <std::size_t num_blocks>
  static PHALANX_INLINE void feistel(W* left, const W* right, const std::uint64_t* round_key) {
    static_assert(num_blocks == 1);
    W f = W::zero();
#pragma GCC unroll 2
    for (std::size_t box = 0; box < 8; box += boxes_per_word) {
      const W shift = to_top(*right, round_key, box);
#pragma GCC unroll 4
      for (std::size_t k = 0; k < 4; ++k) f = f | output(shift, box, k);
    }
    *left = *left ^ double_low32(or_across64(f));
  }

  template <Direction direction>
  static __attribute__((noinline)) void crypt_block(const DesSchedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    crypt_des_block<direction, SerialDesVector>(schedule, in, out);
  }
};

}  // namespace
}  // namespace phalanx
