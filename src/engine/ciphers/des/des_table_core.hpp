// DES by tables of words, one for each S-box, P already applied: a block at a time, for what can look tables up without
// secret addresses.
//
// Halves are kept turned to the left by five bits. Then the six bits that E (FIPS 46-3) takes for S1, S7, S5 and S3 are the
// low ones of bytes 0 to 3, and those for S2, S8, S6 and S4 are so when the half is turned by four bits more. So a round key
// is two words, and E costs a turn.
#pragma once

#include "engine/bytes/constant_index.hpp"
#include "engine/ciphers/des/des_key.hpp"
#include "engine/ciphers/des/des_s_boxes.hpp"
#include "engine/ciphers/direction.hpp"
#include "engine/lanes/gpu_block.hpp"

namespace phalanx {
namespace {

inline constexpr unsigned des_half_turn = 5;
inline constexpr std::uint32_t des_index_bits = 0x3f3f3f3f;

template <unsigned count>
PHALANX_INLINE constexpr std::uint32_t des_turn_left(std::uint32_t x) {
  return x << count | x >> (32 - count) % 32;
}

/// Which byte of a word has the six bits of a box (from 0). Boxes 0, 2, 4 and 6 are in a round's first word.
constexpr unsigned des_byte_of_box(unsigned box) { return (4 - box / 2) % 4; }

/// word[box][x]: P of the box's output at input a1 to a6 = x, a1 the most significant, turned as halves are.
struct DesTables {
  std::uint32_t word[8][64];
};

constexpr DesTables make_des_tables() {
  DesTables tables{};
  for (unsigned box = 0; box < 8; ++box) {
    for (unsigned x = 0; x < 64; ++x) {
      std::uint32_t f = 0;
      for (unsigned k = 0; k < 4; ++k) {
        const std::uint32_t bit = des_s_box(box, x) >> (3 - k) & 1;
        f |= bit << (32 - inverse_p.position[4 * box + k]);
      }
      tables.word[box][x] = des_turn_left<des_half_turn>(f);
    }
  }
  return tables;
}

/// A choice of bits of one word for another, as turns to the left and the bits that each brings to their places.
struct DesBitChoice {
  unsigned mask[32];  ///< of each turn

  constexpr void take(unsigned from, unsigned to) { mask[(to - from) % 32] |= 1U << to; }
};

/// What the key schedule chooses. C and D are numbers of 28 bits.
struct DesChoices {
  DesBitChoice pc1[2][2];  ///< [C or D][word of the key]
  DesBitChoice pc2[2][2];  ///< [C or D][word of the round key]
};

constexpr DesChoices make_des_choices() {
  DesChoices choices{};
  for (unsigned i = 0; i < 56; ++i) {
    const unsigned n = PC1[i] - 1U;
    choices.pc1[i / 28][n / 32].take(31 - n % 32, 27 - i % 28);
  }
  for (unsigned i = 0; i < 48; ++i) {
    const unsigned n = PC2[i] - 1U;
    const unsigned box = i / 6;
    choices.pc2[n / 28][box % 2].take(27 - n % 28, 8 * des_byte_of_box(box) + 5 - i % 6);
  }
  return choices;
}

inline constexpr DesChoices des_choices = make_des_choices();

struct DesPermutedChoice1 {
  static constexpr const auto& of(unsigned to, unsigned from) { return des_choices.pc1[to][from]; }
};
struct DesPermutedChoice2 {
  static constexpr const auto& of(unsigned to, unsigned from) { return des_choices.pc2[from][to]; }
};

/// Word `to` of what a choice makes of two words.
template <class Choice, unsigned to>
PHALANX_INLINE std::uint32_t choose_des_bits(const std::uint32_t words[2]) {
  std::uint32_t chosen = 0;
  for_each_index<64>([&](auto i) {
    constexpr unsigned from = i.value / 32;
    constexpr unsigned turn = i.value % 32;
    constexpr unsigned mask = Choice::of(to, from).mask[turn];
    if constexpr (mask != 0) chosen |= des_turn_left<turn>(words[from]) & mask;
  });
  return chosen;
}

/// How far C and D are turned before a round (from 0): computed, since a device cannot index the standard's list.
PHALANX_INLINE constexpr unsigned des_shift_before(unsigned round) { return round < 2 || round == 8 || round == 15 ? 1 : 2; }
constexpr bool are_des_shifts() {
  for (unsigned round = 0; round < 16; ++round) {
    if (des_shift_before(round) != shifts[round]) return false;
  }
  return true;
}
static_assert(are_des_shifts());

/// Round keys in the order in which a direction uses them: store(i, words) gets those of rounds 2i and 2i + 1, two words
/// each, for all 8 * num_passes pairs of them. Decryption is the same rounds backwards (FIPS 46-3), for each pass and all.
template <class Store>
PHALANX_INLINE void expand_des_round_keys(const std::uint8_t* key, unsigned num_passes, Direction direction, Store store) {
  PHALANX_NO_UNROLL
  for (unsigned pass = 0; pass < num_passes; ++pass) {
    const GpuBlock64 of_pass = load_block<2>(key, pass, false);
    const std::uint32_t key_words[2] = {reverse_bytes32(of_pass.word[0]), reverse_bytes32(of_pass.word[1])};
    std::uint32_t halves[2] = {choose_des_bits<DesPermutedChoice1, 0>(key_words),
                               choose_des_bits<DesPermutedChoice1, 1>(key_words)};
    const bool encrypts = direction == Direction::encrypt;
    const bool is_reversed = encrypts == pass_decrypts(num_passes, pass);
    const unsigned first_pair = 8 * (encrypts ? pass : num_passes - 1 - pass);
    PHALANX_NO_UNROLL
    for (unsigned pair = 0; pair < 8; ++pair) {
      std::uint32_t words[2][2];
      PHALANX_UNROLL
      for (unsigned i = 0; i < 2; ++i) {
        const unsigned shift = des_shift_before(2 * pair + i);
        PHALANX_UNROLL
        for (unsigned half = 0; half < 2; ++half) {
          halves[half] = (halves[half] << shift | halves[half] >> (28 - shift)) & 0xfffffff;
        }
        words[i][0] = choose_des_bits<DesPermutedChoice2, 0>(halves);
        words[i][1] = choose_des_bits<DesPermutedChoice2, 1>(halves);
      }
      const unsigned first = is_reversed ? 1 : 0;
      const std::uint32_t in_order[4] = {words[first][0], words[first][1], words[1 - first][0], words[1 - first][1]};
      store(first_pair + (is_reversed ? 7 - pair : pair), in_order);
    }
  }
}

/// half ^= f(input, key).
template <class Tables>
PHALANX_INLINE void des_table_round(const Tables& tables, std::uint32_t& half, std::uint32_t input, std::uint32_t key_0,
                                    std::uint32_t key_1) {
  const std::uint32_t even = (input ^ key_0) & des_index_bits;
  const std::uint32_t odd = (des_turn_left<4>(input) ^ key_1) & des_index_bits;
  // Three sums of three, and one of these: additions of three words are one operation.
  const std::uint32_t a = tables.template look_up<0, des_byte_of_box(0)>(even) ^
                          tables.template look_up<2, des_byte_of_box(2)>(even) ^
                          tables.template look_up<4, des_byte_of_box(4)>(even);
  const std::uint32_t b = tables.template look_up<6, des_byte_of_box(6)>(even) ^
                          tables.template look_up<1, des_byte_of_box(1)>(odd) ^
                          tables.template look_up<3, des_byte_of_box(3)>(odd);
  half ^= tables.template look_up<5, des_byte_of_box(5)>(odd) ^ tables.template look_up<7, des_byte_of_box(7)>(odd);
  half ^= a ^ b;
}

/// Exchanges the bits of a under mask << shift with those of b under mask.
template <unsigned shift, std::uint32_t mask>
PHALANX_INLINE void exchange_des_bits(std::uint32_t& a, std::uint32_t& b) {
  constexpr std::uint8_t first_where_one = 0xe4;  // bits of the first where the third is one, else of the second
  const GpuWord from_b = {b << shift};
  const GpuWord from_a = {a >> shift};
  a = lut3<first_where_one>(GpuWord{a}, from_b, GpuWord{~(mask << shift)}).bits;
  b = lut3<first_where_one>(GpuWord{b}, from_a, GpuWord{~mask}).bits;
}

/// IP of a block whose words are as memory has them: exchanges between the two, as des_serial.hpp explains, of which those
/// of whole bytes are byte permutes, and bring the bytes into order.
PHALANX_INLINE void des_table_initial_permutation(const std::uint32_t x[2], std::uint32_t& left, std::uint32_t& right) {
  std::uint32_t a = x[0];
  std::uint32_t b = x[1];
  exchange_des_bits<4, 0x0f0f0f0f>(a, b);
  left = permute_bytes<0x6723>(a, b);
  right = permute_bytes<0x4501>(a, b);
  exchange_des_bits<2, 0x33333333>(right, left);
  a = permute_bytes<0x3715>(left, right);
  b = permute_bytes<0x2604>(left, right);
  exchange_des_bits<1, 0x55555555>(a, b);
  left = a;
  right = b;
}

/// The inverse: the same in the opposite order.
PHALANX_INLINE void des_table_inverse_permutation(std::uint32_t left, std::uint32_t right, std::uint32_t x[2]) {
  exchange_des_bits<1, 0x55555555>(left, right);
  std::uint32_t a = permute_bytes<0x3715>(left, right);
  std::uint32_t b = permute_bytes<0x2604>(left, right);
  exchange_des_bits<2, 0x33333333>(b, a);
  x[0] = permute_bytes<0x0145>(a, b);
  x[1] = permute_bytes<0x2367>(a, b);
  exchange_des_bits<4, 0x0f0f0f0f>(x[0], x[1]);
}

/// A block by its words as memory has them: IP, what rounds(left, right) make of its halves, and the inverse of IP. Between
/// two passes these would cancel each other, so there are none.
template <class Rounds>
PHALANX_INLINE void des_table_crypt(std::uint32_t x[2], Rounds rounds) {
  std::uint32_t left;
  std::uint32_t right;
  des_table_initial_permutation(x, left, right);
  left = des_turn_left<des_half_turn>(left);
  right = des_turn_left<des_half_turn>(right);
  rounds(left, right);
  des_table_inverse_permutation(des_turn_left<32 - des_half_turn>(left), des_turn_left<32 - des_half_turn>(right), x);
}

/// The 16 rounds of a pass: key_pair(i) has the four words of rounds 2i and 2i + 1. They take the halves in turns instead of
/// exchanging them; the last one does not exchange them (FIPS 46-3), so here they are exchanged once.
template <class Tables, class KeyPair>
PHALANX_INLINE void des_table_pass(const Tables& tables, std::uint32_t& left, std::uint32_t& right, KeyPair key_pair) {
  PHALANX_UNROLL
  for (unsigned i = 0; i < 8; ++i) {
    const auto key = key_pair(i);
    des_table_round(tables, left, right, key[0], key[1]);
    des_table_round(tables, right, left, key[2], key[3]);
  }
  const std::uint32_t exchanged = left;
  left = right;
  right = exchanged;
}

}  // namespace
}  // namespace phalanx
