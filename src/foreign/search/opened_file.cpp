#include "foreign/search/opened_file.hpp"

namespace phalanx {
namespace {

std::optional<std::uint64_t> start_of(const Input& input) {
  return input.remaining_bytes() ? std::optional(input.position()) : std::nullopt;
}

MatchedCandidate choose(const Candidates& candidates, Input& input, KeyTrials& trials) {
  if (candidates.is_searched()) return find_candidate(candidates, input, trials);
  const Candidate& only = candidates.list.front();
  MatchedCandidate choice;
  choice.plan = only.plan;
  choice.found = only.whole_name;
  return choice;
}

}  // namespace

OpenedFile::OpenedFile(const Candidates& candidates, Input& input, KeyTrials& trials)
    : choice_(choose(candidates, input, trials)),
      start_(start_of(input)),
      message_(choice_.plan, candidates.secrets[choice_.secret], input, choice_.derived) {}

}  // namespace phalanx
