// Twofish in the order of its paper, gate by gate: whole, and by the functions that proofs are cut at.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "and_graph.hpp"
#include "engine/ciphers/direction.hpp"

namespace prove {

/// 32 signals, the lowest bit first.
using TwofishWord = Signals;

/// Section 4.3.5: q0 or q1.
Signals specified_twofish_q(unsigned which, const Signals& byte);
/// Section 4.3.2: the key-dependent S-box s_column, which is h up to the MDS matrix in one column. L[0] is added last.
Signals specified_twofish_s_box(unsigned column, const Signals& byte, const std::vector<TwofishWord>& L);
/// Section 4.2: column `column` of the MDS matrix times a byte.
TwofishWord specified_twofish_mds_column(unsigned column, const Signals& byte);
/// Section 4.3.2: h(X, L); g(X) is h(X, S).
TwofishWord specified_twofish_h(const TwofishWord& X, const std::vector<TwofishWord>& L);

/// Section 4.3: what the key becomes.
struct TwofishExpanded {
  std::array<TwofishWord, 40> K;
  std::vector<TwofishWord> S;  ///< the list S: S_(k-1) first
};
TwofishExpanded specified_twofish_expansion(const Signals& key);

/// Section 4.1: F0 and F1 of T0 and T1 and the two key words of a round.
using TwofishSums = std::array<TwofishWord, 2>(const TwofishWord& T0, const TwofishWord& T1, const TwofishWord& K0,
                                               const TwofishWord& K1);
TwofishSums specified_twofish_sums;
/// The same as GPUs add: F1 = T1 + F0 + (K1 - K0). The claim lemma.twofish_sums proves it.
TwofishSums twofish_sums_by_difference;

/// Section 4: the block under the key words K, with g of section 4.2 as the caller has it.
using TwofishG = std::function<TwofishWord(const TwofishWord& X)>;
Signals specified_twofish_rounds(phalanx::Direction direction, const std::array<TwofishWord, 40>& K, const TwofishG& g,
                                 const Signals& block, TwofishSums* sums = specified_twofish_sums);

TwofishWord rotated_left(const TwofishWord& x, unsigned count);

}  // namespace prove
