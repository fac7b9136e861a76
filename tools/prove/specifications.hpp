// The ciphers as their standards have them, from the tables of reference/, gate by gate. Blocks and keys are bytes as in
// memory, the lowest bit of each first. `check_specifications` compares them with reference/, which the published vectors
// judge.
#pragma once

#include "and_graph.hpp"
#include "claims.hpp"
#include "engine/ciphers/direction.hpp"

namespace prove {

using phalanx::Direction;

/// DES, double DES or triple DES, as the key has 8, 16 or 24 bytes.
Signals specified_des(Direction direction, const Signals& key, const Signals& block);
/// P of a box's output (from 0) at six bits, the lowest first, as a word whose leftmost bit would be the half's first, turned to
/// the left by `turn`.
Signals specified_des_box(unsigned box, const Signals& six_bits, unsigned turn);
Signals specified_serpent(Direction direction, const Signals& key, const Signals& block);
/// All 33 round keys.
Signals specified_serpent_keys(const Signals& key);
/// S(B ^ K), then LT, of round `round`; and the inverse of both: LT^-1(B ^ K), then S^-1. No LT in round 31.
Signals specified_serpent_round(Direction direction, unsigned round, const Signals& K, const Signals& B);
Signals specified_aes(Direction direction, const Signals& key, const Signals& block);
Signals specified_twofish(Direction direction, const Signals& key, const Signals& block);

/// A column through INVMIXCOLUMNS() as specified_aes takes it, and by the standard's matrix.
Recording inverse_mix_columns_lemma();
/// A round of INVCIPHER() and one of EQINVCIPHER(), whose round key went through INVMIXCOLUMNS() (FIPS 197 section 5.3.5).
Recording equivalent_inverse_cipher_lemma();

/// Whether they give what reference/ gives, for 64 random keys and blocks of every cipher and direction.
bool specified_des_is_the_reference();
bool specified_serpent_is_the_reference();
bool specified_aes_is_the_reference();
bool specified_twofish_is_the_reference();

/// A box of any size by its table: inputs and outputs from the lowest bit. Bit by bit, chosen by the highest input first.
template <class Entry>
Signals specified_box(const Entry* table, const Signals& inputs, unsigned num_outputs) {
  Signals outputs;
  for (unsigned bit = 0; bit < num_outputs; ++bit) {
    Signals row;
    for (std::size_t x = 0; x < std::size_t{1} << inputs.size(); ++x) row.push_back(table[x] >> bit & 1);
    for (const Literal input : inputs) {  // the lowest input chooses between neighbours
      Signals half;
      for (std::size_t x = 0; x < row.size(); x += 2) half.push_back(graph().choose(input, row[x + 1], row[x]));
      row = half;
    }
    outputs.push_back(row[0]);
  }
  return outputs;
}

inline Signals xor_of(const Signals& a, const Signals& b) {
  Signals sum;
  for (std::size_t i = 0; i < a.size(); ++i) sum.push_back(graph().xor_of(a[i], b[i]));
  return sum;
}

}  // namespace prove
