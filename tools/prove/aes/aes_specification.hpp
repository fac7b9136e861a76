// AES in the order of FIPS 197, gate by gate: by the functions that proofs go in steps by. A state is 16 bytes as in memory.
#pragma once

#include "and_graph.hpp"
#include "engine/ciphers/direction.hpp"

namespace prove {

/// Sections 5.1.2, 5.1.1 and 5.1.3, or their inverses: what a byte of row `row` adds to the column that it comes to.
Signals specified_aes_share(phalanx::Direction direction, unsigned row, const Signals& byte);
/// Section 5.2, KEYEXPANSION(): the words w, one after another.
Signals specified_aes_key_expansion(const Signals& key);
/// Section 5.3.5, KEYEXPANSIONEIC(): the words dw, from w.
Signals specified_aes_equivalent_keys(const Signals& w);
/// CIPHER() under the words w, or EQINVCIPHER() under the words dw (sections 5.1 and 5.3.5).
Signals specified_aes_rounds(phalanx::Direction direction, const Signals& words, const Signals& block);
/// Section 5.1: the state after ADDROUNDKEY() and the first `num_rounds` rounds, which are not the last.
Signals specified_aes_first_rounds(const Signals& w, const Signals& block, std::size_t num_rounds);
/// The round keys of both directions in the order of their use, as a schedule must be that made `made` of the key: each word of
/// w as section 5.2 makes it of the words before, but of those in `made`; and dw from w in the same way. Where all words of
/// `made` are these, they are w and dw, one after another.
Signals specified_aes_schedule(const Signals& key, const Signals& made);
/// The round keys from the last to the first: the order in which EQINVCIPHER() takes them.
Signals aes_round_keys_reversed(const Signals& words);

}  // namespace prove
