// DES by byte shuffles (AVX2, AVX-512), for ranges too short to fill the lanes of the sliced core: each S-box a look-up that
// goes through its whole table, the bytes as des_shuffled_tables.hpp has them. For a few blocks a half of all of them is one
// word; for more it is a word for each box. DesLookUps<W> says how the word's instructions look up and move bytes.
//
// A word of a few blocks has boxes 0 to 3 in its lower half and 4 to 7 in its upper one; there 16 bytes for every four
// blocks, four of them (a byte of each block) for each box.
#pragma once

#include "engine/ciphers/block_core.hpp"
#include "engine/ciphers/des/des_key.hpp"
#include "engine/ciphers/des/des_shuffled_tables.hpp"
#include "engine/ciphers/direction.hpp"
#include "engine/lanes/block_words.hpp"
#include "engine/lanes/repeated_shuffle.hpp"

namespace phalanx {
namespace {

/// Within the eight bytes of each block.
using DesShuffle = RepeatedShuffle<8>;

/// IP transposes the block's 8 x 8 bits: of what that gives, bytes 6, 4, 2 and 0 are L and bytes 7, 5, 3 and 1 are R. Two of
/// E's boxes have a byte of a half for their own, and the ends of the bytes before and after.
inline constexpr DesShuffle des_own_left({6, 6, 4, 4, 2, 2, 0, 0});
inline constexpr DesShuffle des_own_right({7, 7, 5, 5, 3, 3, 1, 1});
inline constexpr DesShuffle des_next_left({0, 4, 6, 2, 4, 0, 2, 6});
inline constexpr DesShuffle des_next_right({1, 5, 7, 3, 5, 1, 3, 7});
/// The inverse, from the first of every two bytes.
inline constexpr DesShuffle des_rows_of_left({6, shuffle_no_byte, 4, shuffle_no_byte, 2, shuffle_no_byte, 0,
                                              shuffle_no_byte});
inline constexpr DesShuffle des_rows_of_right({shuffle_no_byte, 6, shuffle_no_byte, 4, shuffle_no_byte, 2, shuffle_no_byte,
                                               0});

/// E of a half of each block, from the bytes that IP gives: the inputs of the boxes in order, a box's in a byte.
template <class W>
PHALANX_INLINE W expand_half(W bits, const DesShuffle& own_bytes, const DesShuffle& next_bytes) {
  const W own = own_bytes.of(bits);
  const W next = next_bytes.of(bits);
  const W even = (shift_right32<3>(own) & W::broadcast32(0x001f001f)) | (shift_left32<5>(next) & W::broadcast32(0x00200020));
  const W odd = (shift_left32<1>(own) & W::broadcast32(0x3e003e00)) | (shift_right32<7>(next) & W::broadcast32(0x01000100));
  return even | odd;
}

/// From four bits of a half in every byte, the half's bytes as IP gave them.
template <class W>
PHALANX_INLINE W join_half(W fours, const DesShuffle& rows) {
  return rows.of(shift_left32<4>(fours) | shift_right32<8>(fours));
}

/// L and R of the blocks of a word, each half a word.
template <class W>
struct DesHalvesInWords {
  using Vector = W;
  using LookUps = DesLookUps<W>;
  static constexpr std::size_t num_vectors = 1;
  W left;
  W right;

  PHALANX_INLINE void begin(const W* blocks) {
    const W bits = LookUps::transpose_bits(*blocks);
    left = LookUps::look_up(LookUps::placing, LookUps::to_boxes(expand_half(bits, des_own_left, des_next_left)));
    right = LookUps::look_up(LookUps::placing, LookUps::to_boxes(expand_half(bits, des_own_right, des_next_right)));
  }
  PHALANX_INLINE void end(W* blocks) const {
    const W left_fours = LookUps::from_boxes(LookUps::look_up(LookUps::gathering, left));
    const W right_fours = LookUps::from_boxes(LookUps::look_up(LookUps::gathering, right));
    *blocks = LookUps::transpose_bits(join_half(left_fours, des_rows_of_left) | join_half(right_fours, des_rows_of_right));
  }
  /// L ^ f(R, K), in the place of L.
  static PHALANX_INLINE void feistel(W& l, W r, const std::uint32_t box_key[num_des_boxes]) {
    l = l ^ LookUps::permute_and_expand(LookUps::look_up(LookUps::substitution, r ^ LookUps::key_of_boxes(box_key)));
  }
};

/// A word for each box.
template <class W>
struct DesBoxWords {
  using LookUps = DesLookUps<W>;
  W box[num_des_boxes];

  /// From the bytes of the boxes block by block, and back.
  PHALANX_INLINE void gather() {
    for (W& word : box) word = LookUps::to_boxes(word);
    transpose();
    for (unsigned b = 0; b < num_des_boxes; ++b) box[b] = LookUps::look_up_box(des_placing.of[b], box[b]);
  }
  PHALANX_INLINE void scatter() {
    for (unsigned b = 0; b < num_des_boxes; ++b) box[b] = LookUps::look_up_box(des_gathering.of[b], box[b]);
    transpose();
    for (W& word : box) word = LookUps::from_boxes(word);
  }

 private:
  /// Between eight words of all boxes and eight words of one box each; its own inverse but for the order of the steps.
  PHALANX_INLINE void transpose() {
    transpose_dwords(box);
    transpose_dwords(box + 4);
    for (unsigned b = 0; b < 4; ++b) {
      const W low = LookUps::join_low_halves(box[b], box[b + 4]);
      box[b + 4] = LookUps::join_high_halves(box[b], box[b + 4]);
      box[b] = low;
    }
  }
};

/// L and R of the blocks of eight words.
template <class W>
struct DesHalvesByBoxes {
  using Vector = W;
  using LookUps = DesLookUps<W>;
  using Half = DesBoxWords<W>;
  static constexpr std::size_t num_vectors = num_des_boxes;
  Half left;
  Half right;

  PHALANX_INLINE void begin(const W* blocks) {
    for (std::size_t i = 0; i < num_vectors; ++i) {
      const W bits = LookUps::transpose_bits(blocks[i]);
      left.box[i] = expand_half(bits, des_own_left, des_next_left);
      right.box[i] = expand_half(bits, des_own_right, des_next_right);
    }
    left.gather();
    right.gather();
  }
  PHALANX_INLINE void end(W* blocks) {
    left.scatter();
    right.scatter();
    for (std::size_t i = 0; i < num_vectors; ++i) {
      blocks[i] =
          LookUps::transpose_bits(join_half(left.box[i], des_rows_of_left) | join_half(right.box[i], des_rows_of_right));
    }
  }
  static PHALANX_INLINE void feistel(Half& l, const Half& r, const std::uint32_t box_key[num_des_boxes]) {
    W y[num_des_boxes];
#pragma GCC unroll 8
    for (unsigned b = 0; b < num_des_boxes; ++b) {
      y[b] = LookUps::look_up_box(des_substitution.of[b], r.box[b] ^ W::broadcast32(box_key[b]));
    }
#pragma GCC unroll 8
    for (unsigned b = 0; b < num_des_boxes; ++b) {
      const std::uint8_t* const source = des_sources.box[b];
      const W from[num_des_inputs] = {y[source[0]], y[source[1]], y[source[2]], y[source[3]], y[source[4]], y[source[5]]};
      l.box[b] = l.box[b] ^ LookUps::join_bits(from);
    }
  }
};

/// The core (engine/ciphers/block_core.hpp) over one kind of halves; SerialDes crypts one block.
template <class Halves, class SerialDes>
struct DesShuffledCore {
  using Vector = typename Halves::Vector;
  static constexpr std::size_t block_bytes = 8;
  static constexpr std::size_t lanes = Halves::num_vectors * sizeof(Vector) / block_bytes;
  static constexpr bool stores_last_first = true;
  static constexpr Fetches fetches = Fetches::nothing;
  static constexpr int num_steps_beside = 0;
  using Schedule = DesSchedule;

  /// Not inlined: every mode shares this one copy.
  template <Direction direction>
  static __attribute__((noinline)) void crypt_vectors(const Schedule& schedule, Vector* blocks) {
    const std::size_t num_rounds = 16 * schedule.num_passes;
    const auto box_key = [&](std::size_t r) PHALANX_INLINE_LAMBDA {
      return schedule.box_key[direction == Direction::encrypt ? r : num_rounds - 1 - r];
    };
    Halves halves;
    halves.begin(blocks);
#pragma GCC unroll 1
    for (std::size_t pass_start = 0; pass_start < num_rounds; pass_start += 16) {
#pragma GCC unroll 1
      for (std::size_t r = pass_start; r < pass_start + 16; r += 2) {
        Halves::feistel(halves.left, halves.right, box_key(r));
        Halves::feistel(halves.right, halves.left, box_key(r + 1));
      }
      const auto exchanged = halves.left;  // R16 L16: the halves that leave a pass are exchanged
      halves.left = halves.right;
      halves.right = exchanged;
    }
    halves.end(blocks);
  }
  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt(const Schedule& schedule, Load load, Store store) {
    Vector blocks[Halves::num_vectors];
    for (std::size_t i = 0; i < Halves::num_vectors; ++i) blocks[i] = load(i);
    crypt_vectors<direction>(schedule, blocks);
    for (std::size_t i = Halves::num_vectors; i-- > 0;) store(i, blocks[i]);
  }
  template <Direction direction>
  static PHALANX_INLINE void crypt_block(const Schedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    SerialDes::template crypt_block<direction>(schedule, in, out);
  }
  template <class Store>
  static PHALANX_INLINE void crypt_counters(const Schedule& schedule, std::uint64_t first, Store store,
                                            PrefetchHint /*ahead*/) {
    alignas(64) std::uint64_t counters[lanes];
    for (std::size_t i = 0; i < lanes; ++i) counters[i] = reverse_bytes(first + i);
    const auto load = [&](std::size_t i)
                          PHALANX_INLINE_LAMBDA { return Vector::load(counters + i * (sizeof(Vector) / block_bytes)); };
    crypt<Direction::encrypt>(schedule, load, store);
  }
};

/// The sliced core whose Narrower ones are of this kind: its schedules have their keys.
template <class Sliced>
struct WithBoxKeys : Sliced {
  static void expand_key(const std::uint8_t* key, std::size_t key_bytes, DesSchedule& schedule) {
    Sliced::expand_key(key, key_bytes, schedule);
    for (std::size_t r = 0; r < 16 * schedule.num_passes; ++r) {
      const std::uint64_t placed = place_round_key(schedule.round_key[r]);
      for (std::size_t box = 0; box < num_des_boxes; ++box) {
        schedule.box_key[r][box] = static_cast<std::uint32_t>(placed >> (8 * box) & 0xff) * 0x01010101U;
      }
    }
  }
};

}  // namespace
}  // namespace phalanx
