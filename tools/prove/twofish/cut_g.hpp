// Where a proof of Twofish is cut: at g. The rounds are recorded with results of g that nobody knows, and compared with the
// paper's rounds that get the same results. Where both ask g for the same words each time, and leave the same block, they
// are equal whatever function g is, and so for that of the paper; that g is that one is a claim of its own.
#pragma once

#include "twofish/recorded_twofish.hpp"

namespace prove {

/// What one block asks of g, two words at a time, and what it gets: 64 signals each.
struct CutG {
  std::vector<Signals> asked;
  std::vector<Signals> given;

  /// A call of the recorded rounds.
  Signals call(const Signals& two_words) {
    asked.push_back(two_words);
    given.push_back(graph().inputs(64));
    return given.back();
  }
  /// What the implementation's rounds come to: all that they ask, and the block.
  [[nodiscard]] Signals outputs(const Signals& block) const { return joined({joined(asked), block}); }
  [[nodiscard]] Signals inputs() const { return joined(given); }

  /// The paper's rounds, with the same results.
  [[nodiscard]] Signals specified(Direction direction, const Signals& K, const Signals& block,
                                  TwofishSums* sums = specified_twofish_sums) const {
    std::array<TwofishWord, 40> words;
    for (std::size_t i = 0; i < K.size(); ++i) words[i / 32].push_back(K[i]);
    Signals asked_words;
    std::size_t calls = 0;
    const TwofishG g = [&](const TwofishWord& X) {
      asked_words.insert(asked_words.end(), X.begin(), X.end());
      const std::size_t call = calls++;
      return part(given.at(call / 2), call % 2 == 0 ? 0 : 32, 32);
    };
    const Signals out = specified_twofish_rounds(direction, words, g, block, sums);
    return joined({asked_words, out});
  }
};

}  // namespace prove
