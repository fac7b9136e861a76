#include "files/foreign/search/opened_file.hpp"

#include "files/foreign/padding_evidence.hpp"
#include "files/foreign/search/cms_old_message.hpp"
#include "files/foreign/search/data_units.hpp"
#include "files/foreign/search/openpgp_old_message.hpp"

namespace phalanx {
namespace {

std::optional<std::uint64_t> start_of(const Input& input) {
  return input.remaining_bytes() ? std::optional(input.position()) : std::nullopt;
}

MatchedCandidate choose(const Candidates& candidates, Input& input, KeyTrials& trials, bool always_search) {
  const Candidate& only = candidates.list.front();
  const bool may_search = only.plan.own_format == OwnFormat::none && input.remaining_bytes() &&
                          shows_wrong_key(only.plan.job.mode, only.plan.job.padding);
  if (candidates.is_searched() || (always_search && may_search)) return find_candidate(candidates, input, trials);
  MatchedCandidate choice;
  choice.plan = only.plan;
  choice.with.found = only.whole_name;
  return choice;
}

}  // namespace

OpenedFile::OpenedFile(const Candidates& candidates, Input& input, KeyTrials& trials, bool always_search)
    : start_(start_of(input)) {
  try {
    choice_ = choose(candidates, input, trials, always_search);
    if (const auto& keys = candidates.list.front().cms) {
      message_ = open_cms(*keys, input, choice_);
      return;
    }
    if (const auto& keys = candidates.list.front().openpgp) {
      message_ = open_openpgp(*keys, input, choice_);
      return;
    }
    settle_data_units(choice_, candidates.secrets[choice_.secret], input);
    message_ = std::make_unique<ForeignMessage>(choice_.plan, candidates.secrets[choice_.secret], input, choice_.derived);
  } catch (const OtherFile&) {
    throw;
  } catch (const Error& error) {
    if (start_) explain_unopened(error, input, *start_, candidates.list.front().plan, candidates.find_base64);
    throw;
  }
}

}  // namespace phalanx
