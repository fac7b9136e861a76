#include "files/foreign/search/candidates.hpp"

namespace phalanx {
namespace {

// The secret of a message of such a format is beside the candidate.
Candidates only_candidate(const RunOptions& options, OwnFormat format, const char* name) {
  Candidates candidates;
  candidates.secrets.emplace_back();
  Candidate& candidate = candidates.list.emplace_back();
  candidate.whole_name = name;
  candidate.plan.own_format = format;
  candidate.plan.options = options;
  candidate.plan.job.direction = Direction::decrypt;
  return candidates;
}

}  // namespace

Candidates make_candidates(const MessagePlan& plan, SecretBytes secret) {
  Candidates candidates;
  candidates.secrets.push_back(std::move(secret));
  const std::string name = full_name(plan.cipher);
  if (!plan.from_passphrase) {
    candidates.list.push_back({.plan = plan, .secret = 0, .name = "", .whole_name = name});
    return candidates;
  }
  std::vector<std::string> digests{plan.openssl.derivation.digest};
  if (plan.openssl.find_digest) digests.assign(std::begin(digest_search_order), std::end(digest_search_order));
  for (const std::string& digest : digests) {
    Candidate& candidate = candidates.list.emplace_back();
    candidate.plan = plan;
    candidate.plan.openssl.find_digest = false;
    candidate.plan.openssl.derivation.digest = digest;
    candidate.name = digests.size() > 1 ? digest : "";
    candidate.whole_name = name + ", " + digest;
  }
  return candidates;
}

Candidates make_cms_candidates(const RunOptions& options, CmsKeys keys) {
  Candidates candidates = only_candidate(options, OwnFormat::cms, "CMS");
  candidates.list.front().cms = std::make_shared<const CmsKeys>(std::move(keys));
  return candidates;
}

Candidates make_openpgp_candidates(const RunOptions& options, OpenPgpKeys keys) {
  Candidates candidates = only_candidate(options, OwnFormat::openpgp, "OpenPGP");
  candidates.list.front().openpgp = std::make_shared<const OpenPgpKeys>(std::move(keys));
  return candidates;
}

}  // namespace phalanx
