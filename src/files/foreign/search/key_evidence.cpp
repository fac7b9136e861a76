#include "files/foreign/search/key_evidence.hpp"

#include <algorithm>
#include <cmath>

#include "engine/text/counted.hpp"

namespace phalanx {
namespace {

constexpr double largest_chance = 1e-3;

// Returns the doubt about a plaintext that no padding vouches for. Text whose first block shows the iv leaves none.
Doubt doubt_without_padding(const KeyEvidence& evidence) {
  if (!evidence.is_recognised()) {
    return {DoubtKind::nothing_known,
            "nothing shows whether the key was right: no padding is checked, and the plaintext is of no kind that is known"};
  }
  if (!evidence.is_text) {
    return {DoubtKind::beginning_alone,
            "only its beginning is of a known kind, and other modes, or sectors of other sizes, begin alike"};
  }
  if (evidence.iv_is_read) {
    return {DoubtKind::first_block,
            "it is text, but so it is if its first block was taken for the iv: does the iv stand there?"};
  }
  if (evidence.may_end_in_padding)
    return {DoubtKind::padding_in_text, "it is text that ends as padding does: was it padded?"};
  if (evidence.sectors_are_untried) {
    return {DoubtKind::sectors_untried, "it is text, but whether it is so under sectors of other sizes could not be tried"};
  }
  if (evidence.first_block_shows_iv) return {};
  return {DoubtKind::first_block, "it is text, but nothing shows that the iv was right: its first block may be wrong"};
}

// The message says its mode and its iv itself, and its padding is always checked. A wrong key passes that once in 256 times,
// and then its plaintext is noise.
Doubt doubt_of_cms(const KeyEvidence& evidence) {
  if (evidence.is_recognised()) return {};
  return {DoubtKind::nothing_known,
          "nothing authenticates a message of CMS in CBC, and its plaintext is of no kind that is known"};
}

// Says whether the plaintext would hardly begin so under a wrong iv. A plaintext whose first block was taken for the iv may
// begin anyhow.
bool beginning_shows_iv(const KeyEvidence& evidence) {
  const bool is_of_a_format = evidence.is_recognised() && !evidence.begins_as_text();
  return is_of_a_format || (evidence.first_block_shows_iv && !evidence.iv_is_read);
}

// Returns "passphrase 2, md5", or "the passphrase with md5" where there is but one.
std::string opener_of(const KeyEvidence& evidence) {
  const std::string& candidate = evidence.with.candidate;
  const std::string kind = evidence.is_passphrase ? "passphrase" : "key";
  if (candidate.find(kind + ' ') != std::string::npos) return candidate;
  return "the " + kind + (candidate.empty() ? "" : " with " + candidate);
}

}  // namespace

void KeyTrials::opened(const std::string& candidate, const std::string& mark) {
  const std::lock_guard lock(mutex_);
  Count& count = counts_[candidate];
  if (mark.empty() || count.marks.insert(mark).second) ++count.opened;
}

void KeyTrials::failed(const std::string& candidate) {
  const std::lock_guard lock(mutex_);
  ++counts_[candidate].failed;
}

KeyCount KeyTrials::count_of(const std::string& candidate) const {
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(candidate);
  return found == counts_.end() ? KeyCount() : KeyCount(found->second);
}

Doubt KeyTrials::doubt(const KeyEvidence& evidence) const {
  if (evidence.has_lost_its_tag)
    return {DoubtKind::no_tag, "`openssl enc` wrote no tag behind its GCM, and nothing else shows that the file is whole"};
  if (evidence.sums_are_right || evidence.is_authenticated) return {};
  if (evidence.is_of_cms) return doubt_of_cms(evidence);
  if (evidence.with.another_is_recognised)
    return {DoubtKind::another_fits, "what another candidate gives looks like plaintext too"};
  if (!evidence.other_sectors.empty())
    return {DoubtKind::another_fits, "with " + evidence.other_sectors + " it is text, too"};
  Doubt why = doubt_without_padding(evidence);
  return !why || evidence.with.padding_bytes == 0 ? why : doubt_with_padding(evidence);
}

Doubt KeyTrials::doubt_with_padding(const KeyEvidence& evidence) const {
  if (beginning_shows_iv(evidence) && evidence.beginning_shows_mode) return {};
  Doubt why = doubt_of_padding(evidence);
  if (why || beginning_shows_iv(evidence) || evidence.key_shows_iv) return why;
  const char* const also = evidence.is_passphrase ? " if -iv was given beside the passphrase" : "";
  return {DoubtKind::first_block,
          "its padding shows that the key was right, but nothing shows that of the iv: its first block may be wrong" +
              std::string(also)};
}

Doubt KeyTrials::doubt_of_padding(const KeyEvidence& evidence) const {
  const std::size_t other_bytes = evidence.with.other_padding_bytes;
  if (other_bytes >= evidence.with.padding_bytes)
    return {DoubtKind::another_fits, "another candidate gives as much padding"};
  const std::size_t counted_bytes = evidence.padding_is_zeros ? 1 : evidence.with.padding_bytes - other_bytes;
  const auto [num_opened, failed_now] = count_of(evidence.with.candidate);
  const std::uint64_t num_failed = std::max(failed_now, evidence.num_failed_before);
  const auto opened = static_cast<double>(std::max<std::uint64_t>(1, num_opened));
  const double chance = static_cast<double>(evidence.with.num_candidates) * static_cast<double>(num_failed + 1) /
                        (opened * std::pow(256.0, static_cast<double>(counted_bytes)));
  if (chance <= largest_chance) return {};
  std::string why = "its padding, " + count_bytes(evidence.with.padding_bytes);
  if (other_bytes != 0) why += " where another candidate gives " + count_bytes(other_bytes);
  why += ", may be chance: " + opener_of(evidence) + " opened " + std::to_string(num_opened) + " and failed on " +
         std::to_string(num_failed) + " files";
  return {DoubtKind::chance, std::move(why)};
}

inline namespace PHALANX_VERSION_NAMESPACE {

std::string doubt_name(DoubtKind kind) {
  switch (kind) {
    case DoubtKind::none:
      return "none";
    case DoubtKind::nothing_known:
      return "nothing_known";
    case DoubtKind::beginning_alone:
      return "beginning_alone";
    case DoubtKind::another_fits:
      return "another_fits";
    case DoubtKind::chance:
      return "chance";
    case DoubtKind::first_block:
      return "first_block";
    case DoubtKind::padding_in_text:
      return "padding_in_text";
    case DoubtKind::sectors_untried:
      return "sectors_untried";
    case DoubtKind::no_tag:
      return "no_tag";
    case DoubtKind::not_recorded:
      break;
  }
  return "not_recorded";
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
