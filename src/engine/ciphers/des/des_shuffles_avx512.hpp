// DesLookUps (des_shuffled.hpp) by permutations of 64 bytes: a whole table at once, under the mask of its box's bytes.
#pragma once

#include "engine/ciphers/des/des_shuffled_tables.hpp"
#include "engine/lanes/word_avx512.hpp"

namespace phalanx {
namespace {

struct alignas(64) DesPlacesAvx512 {
  std::uint8_t source[num_des_inputs][64];  ///< where the byte comes from that brings this bit
  std::uint8_t to_boxes[64];
  std::uint8_t from_boxes[64];
  std::uint8_t key[64];  ///< of eight keys of 32 bits

  constexpr DesPlacesAvx512() : source(), to_boxes(), from_boxes(), key() {
    for (unsigned i = 0; i < 64; ++i) {
      const unsigned box = place_of(i).box;
      const unsigned block = place_of(i).block;
      for (unsigned bit = 0; bit < num_des_inputs; ++bit) {
        source[bit][i] = static_cast<std::uint8_t>(byte_of({des_sources.box[box][bit], block}));
      }
      to_boxes[i] = static_cast<std::uint8_t>(8 * block + box);
      from_boxes[to_boxes[i]] = static_cast<std::uint8_t>(i);
      key[i] = static_cast<std::uint8_t>(4 * box);
    }
  }

  struct Place {
    unsigned box, block;
  };
  static constexpr Place place_of(unsigned byte) { return {byte / 32 * 4 + byte / 4 % 4, byte / 16 % 2 * 4 + byte % 4}; }
  static constexpr unsigned byte_of(Place at) { return at.box / 4 * 32 + at.block / 4 * 16 + at.box % 4 * 4 + at.block % 4; }
};

template <>
struct DesLookUps<Word512> {
  using W = Word512;
  static constexpr const DesByteTables& substitution = des_substitution;
  static constexpr const DesByteTables& placing = des_placing;
  static constexpr const DesByteTables& gathering = des_gathering;
  static constexpr DesPlacesAvx512 places{};

  static PHALANX_INLINE W transpose_bits(W blocks) {
    constexpr std::uint64_t one_bit_a_byte = 0x8040201008040201;
    alignas(16) static constexpr std::uint8_t reversed[16] = {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8};
    return affine(W::broadcast64(one_bit_a_byte), shuffle_bytes(blocks, W::broadcast128(reversed)));
  }
  static PHALANX_INLINE W to_boxes(W v) { return permute_bytes(v, W::load(places.to_boxes)); }
  static PHALANX_INLINE W from_boxes(W v) { return permute_bytes(v, W::load(places.from_boxes)); }

  /// The low (high) half of a, then that of b.
  static PHALANX_INLINE W join_low_halves(W a, W b) { return shuffle128<0x44>(a, b); }
  static PHALANX_INLINE W join_high_halves(W a, W b) { return shuffle128<0xee>(a, b); }

  static PHALANX_INLINE W key_of_boxes(const std::uint32_t box_key[num_des_boxes]) {
    return permute_bytes(W::broadcast256(box_key), W::load(places.key));
  }

  static constexpr std::uint64_t bytes_of_box(unsigned box) {
    return std::uint64_t{0xf000f} << DesPlacesAvx512::byte_of({box, 0});
  }

  /// Every byte in the table of its own box. Three chains: one goes on while the only port that permutes is at the others.
  static PHALANX_INLINE W look_up(const DesByteTables& tables, W x) {
    const auto table = [&](unsigned box) PHALANX_INLINE_LAMBDA { return W::load(tables.of[box]); };
    W y[3];
    for (unsigned box = 0; box < 3; ++box) y[box] = permute_bytes_or_zero(bytes_of_box(box), table(box), x);
    for (unsigned box = 3; box < num_des_boxes; ++box) {
      y[box % 3] = permute_bytes_where(bytes_of_box(box), table(box), x, y[box % 3]);
    }
    return y[0] | y[1] | y[2];
  }
  /// Every byte in the same table.
  static PHALANX_INLINE W look_up_box(const std::uint8_t table[64], W x) { return permute_bytes(W::load(table), x); }

  static PHALANX_INLINE W permute_and_expand(W y) {
    W from[num_des_inputs];
    for (unsigned bit = 0; bit < num_des_inputs; ++bit) from[bit] = permute_bytes(y, W::load(places.source[bit]));
    return join_bits(from);
  }
  /// Bit i of every byte from y[i].
  static PHALANX_INLINE W join_bits(const W y[num_des_inputs]) {
    const W bits_10 = choose(W::broadcast8(0x01), y[0], y[1]);
    const W bits_32 = choose(W::broadcast8(0x04), y[2], y[3]);
    const W bits_54 = choose(W::broadcast8(0x10), y[4], y[5]);
    return choose(W::broadcast8(0x0f), choose(W::broadcast8(0x03), bits_10, bits_32), bits_54);
  }
  /// The bits of `yes` where the mask has them, else of `no`.
  static PHALANX_INLINE W choose(W mask, W yes, W no) { return lut3<0xca>(mask, yes, no); }
};

}  // namespace
}  // namespace phalanx
