// The rounds of DES (FIPS 46-3), bitsliced: a word holds one bit of every block. Every sliced form of DES runs this Feistel:
// CPUs with the planes in memory, GPUs with the planes in registers, each with one key for all lanes or a key in every lane.
//
// `Halves` says where the planes of L and R are, and exchanges them:
//
//   using Word;
//   static constexpr bool pairs_boxes;                  // two S-boxes side by side: for machines with 32 registers
//   static constexpr std::size_t place(std::size_t i);  // where bit i (from 1) of a half lies, from the half's pointer
//   Word* left(); Word* right();
//   void exchange();
//
// `Keys` has the round keys, in the order of their use:
//
//   static constexpr unsigned rounds_at_once;           // 2 or 4
//   void begin_pass(unsigned pass, Word* right);        // adds what R's bits are to be XORed with in this pass
//   auto rounds(unsigned pass, unsigned round);         // keys of so many rounds; .template of<j>() is that of round + j
//   void end_rounds(unsigned pass, unsigned round);     // what else there is to do beside
//   void end_passes(Word* right);                       // adds what the last pass left in R
//
// A round's key gives box<b>(), the key of an S-box: input<i>(r) is input i (from 0) of the box, from R's bit r;
// update<k>(l, s) is what becomes of L's bit l by the box's output k (from 0), s.
#pragma once

#include "engine/ciphers/des/circuits/des_sbox_two_input_circuits.hpp"
#include "engine/ciphers/des/des_tables.hpp"

namespace phalanx {
namespace {

template <unsigned box, class W>
PHALANX_INLINE SBoxOutput<W> des_s_box(W a1, W a2, W a3, W a4, W a5, W a6) {
  if constexpr (box == 0) return des_s1(a1, a2, a3, a4, a5, a6);
  if constexpr (box == 1) return des_s2(a1, a2, a3, a4, a5, a6);
  if constexpr (box == 2) return des_s3(a1, a2, a3, a4, a5, a6);
  if constexpr (box == 3) return des_s4(a1, a2, a3, a4, a5, a6);
  if constexpr (box == 4) return des_s5(a1, a2, a3, a4, a5, a6);
  if constexpr (box == 5) return des_s6(a1, a2, a3, a4, a5, a6);
  if constexpr (box == 6) return des_s7(a1, a2, a3, a4, a5, a6);
  if constexpr (box == 7) return des_s8(a1, a2, a3, a4, a5, a6);
}

template <unsigned pair, class W>
PHALANX_INLINE TwoSBoxOutputs<W> des_two_s_boxes(W a1, W a2, W a3, W a4, W a5, W a6, W b1, W b2, W b3, W b4, W b5, W b6) {
  if constexpr (pair == 0) return des_s1_s2(a1, a2, a3, a4, a5, a6, b1, b2, b3, b4, b5, b6);
  if constexpr (pair == 1) return des_s3_s4(a1, a2, a3, a4, a5, a6, b1, b2, b3, b4, b5, b6);
  if constexpr (pair == 2) return des_s5_s6(a1, a2, a3, a4, a5, a6, b1, b2, b3, b4, b5, b6);
  if constexpr (pair == 3) return des_s7_s8(a1, a2, a3, a4, a5, a6, b1, b2, b3, b4, b5, b6);
}

/// Input i of an S-box: E and the round key.
template <class Halves, unsigned box, unsigned i, class BoxKey>
PHALANX_INLINE auto box_input(const typename Halves::Word* right, const BoxKey& key) {
  constexpr std::size_t place = Halves::place(E[6 * box + i]);
  return key.template input<i>(right[place]);
}

/// L ^= P of a box's outputs.
template <class Halves, unsigned box, class BoxKey>
PHALANX_INLINE void add_box_output(typename Halves::Word* left, SBoxOutput<typename Halves::Word> s, const BoxKey& key) {
  constexpr std::size_t to[4] = {Halves::place(inverse_p.position[4 * box]), Halves::place(inverse_p.position[4 * box + 1]),
                                 Halves::place(inverse_p.position[4 * box + 2]),
                                 Halves::place(inverse_p.position[4 * box + 3])};
  left[to[0]] = key.template update<0>(left[to[0]], s.y1);
  left[to[1]] = key.template update<1>(left[to[1]], s.y2);
  left[to[2]] = key.template update<2>(left[to[2]], s.y3);
  left[to[3]] = key.template update<3>(left[to[3]], s.y4);
}

/// The part of L ^= f(R, K) that goes through one S-box.
template <class Halves, unsigned b, class RoundKey>
PHALANX_INLINE void feistel_box(typename Halves::Word* left, const typename Halves::Word* right, const RoundKey& round_key) {
  const auto key = round_key.template box<b>();
  const auto s = des_s_box<b>(box_input<Halves, b, 0>(right, key), box_input<Halves, b, 1>(right, key),
                              box_input<Halves, b, 2>(right, key), box_input<Halves, b, 3>(right, key),
                              box_input<Halves, b, 4>(right, key), box_input<Halves, b, 5>(right, key));
  add_box_output<Halves, b>(left, s, key);
}

/// The part that goes through two.
template <class Halves, unsigned pair, class RoundKey>
PHALANX_INLINE void feistel_boxes(typename Halves::Word* left, const typename Halves::Word* right,
                                  const RoundKey& round_key) {
  constexpr unsigned a = 2 * pair;
  constexpr unsigned b = a + 1;
  if constexpr (Halves::pairs_boxes) {
    const auto key_a = round_key.template box<a>();
    const auto key_b = round_key.template box<b>();
    const auto s = des_two_s_boxes<pair>(
        box_input<Halves, a, 0>(right, key_a), box_input<Halves, a, 1>(right, key_a), box_input<Halves, a, 2>(right, key_a),
        box_input<Halves, a, 3>(right, key_a), box_input<Halves, a, 4>(right, key_a), box_input<Halves, a, 5>(right, key_a),
        box_input<Halves, b, 0>(right, key_b), box_input<Halves, b, 1>(right, key_b), box_input<Halves, b, 2>(right, key_b),
        box_input<Halves, b, 3>(right, key_b), box_input<Halves, b, 4>(right, key_b), box_input<Halves, b, 5>(right, key_b));
    add_box_output<Halves, a>(left, s.first, key_a);
    add_box_output<Halves, b>(left, s.second, key_b);
  } else {
    feistel_box<Halves, a>(left, right, round_key);
    feistel_box<Halves, b>(left, right, round_key);
  }
}

/// L ^= f(R, K).
template <class Halves, class RoundKey>
PHALANX_INLINE void feistel(typename Halves::Word* left, const typename Halves::Word* right, const RoundKey& round_key) {
  feistel_boxes<Halves, 0>(left, right, round_key);
  feistel_boxes<Halves, 1>(left, right, round_key);
  feistel_boxes<Halves, 2>(left, right, round_key);
  feistel_boxes<Halves, 3>(left, right, round_key);
}

/// All passes of 16 rounds. Rounds come in twos, so that they need no exchange; after each pass the halves are exchanged, as
/// FIPS 46-3 has it after round 16.
template <class Halves, class Keys>
PHALANX_INLINE void des_passes(Halves& halves, unsigned num_passes, const Keys& keys) {
  PHALANX_NO_UNROLL
  for (unsigned pass = 0; pass < num_passes; ++pass) {
    keys.begin_pass(pass, halves.right());
    PHALANX_NO_UNROLL
    for (unsigned round = 0; round < 16; round += Keys::rounds_at_once) {
      const auto round_keys = keys.rounds(pass, round);
      feistel<Halves>(halves.left(), halves.right(), round_keys.template of<0>());
      feistel<Halves>(halves.right(), halves.left(), round_keys.template of<1>());
      if constexpr (Keys::rounds_at_once == 4) {
        feistel<Halves>(halves.left(), halves.right(), round_keys.template of<2>());
        feistel<Halves>(halves.right(), halves.left(), round_keys.template of<3>());
      }
      keys.end_rounds(pass, round);
    }
    halves.exchange();
  }
  keys.end_passes(halves.right());
}

}  // namespace
}  // namespace phalanx
