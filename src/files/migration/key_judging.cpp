#include "files/migration/key_judging.hpp"

#include <algorithm>
#include <string>

#include "files/foreign/padding_evidence.hpp"
#include "files/migration/png_sums.hpp"
#include "files/migration/reading_again.hpp"
#include "files/migration/sector_trials.hpp"

namespace phalanx {
namespace {

// Chunks follow each other, so that it takes another reading: only where padding and the beginning do not vouch.
bool png_sums_are_right(const ReadOldFile& file) {
  PngSums sums;
  PlaintextMac mac(file.mac.key());
  read_again(file.choice.plan, file.secret, file.choice.derived, file.input, *file.start, [&](Piece& piece) {
    sums.add(piece.content());
    mac.add(piece.offset, piece.content());
    return !sums.are_wrong();
  });
  return sums.are_right() && mac.finish() == file.mac.finish();
}

// Returns whether a right beginning and right padding are a sign of the right mode. ECB and CBC agree in the first
// block if the iv is of zeros. Other data may end in padding, too, unless it is that of PKCS #7.
bool beginning_shows_mode(const MessagePlan& plan, const ChainValue& iv) {
  const Bytes bytes = iv;
  const bool any = std::ranges::any_of(bytes, [](std::uint8_t byte) { return byte != 0; });
  return any && shows_wrong_key(plan.job.mode, plan.job.padding) && plan.job.padding == Padding::pkcs7;
}

// Returns whether evidence for the key is evidence for the iv, too. It is only in a mode without an iv. An iv that is
// derived with the key may not be the one that was used: `openssl enc -pass .. -iv ..` derives the key alone, and
// writes the same header.
bool key_shows_iv(const MessagePlan& plan) { return plan.job.mode == Mode::ecb; }

// Returns whether the plaintext would begin otherwise under another iv. Another iv spoils no more than the first block
// of CBC and CFB.
bool first_block_shows_iv(const MessagePlan& plan, const PlaintextKindStage& kind) {
  const bool spoils_a_block = plan.job.mode == Mode::cbc || plan.job.mode == Mode::cfb;
  return key_shows_iv(plan) || !spoils_a_block || kind.begins_beyond_chance(plan.cipher.block_bytes);
}

void look_at_sectors(const ReadOldFile& file, KeyEvidence& evidence) {
  const MessagePlan& plan = file.choice.plan;
  const bool is_of_openssl = plan.cipher.way == ForeignWay::restarted;
  const bool is_of_volume = plan.job.mode == Mode::xts && !plan.from_passphrase && !plan.iv_prefix && !is_of_openssl;
  if ((!is_of_openssl && !is_of_volume) || evidence.sums_are_right) return;
  if (!file.start) {
    evidence.sectors_are_untried = is_of_openssl || plan.job.sectors.sector_bytes != 0;
    return;
  }
  evidence.other_sectors = find_other_sectors({plan, file.secret, file.choice.derived, file.input, *file.start, file.mac});
}

}  // namespace

KeyEvidence judge_key(const ReadOldFile& file) {
  const MatchedCandidate& choice = file.choice;
  const MessagePlan& plan = choice.plan;
  const PlaintextKindStage& kind = file.kind;
  const bool padding_is_checked = shows_wrong_key(plan.job.mode, plan.job.padding);
  const OwnFormat own_format = plan.own_format;
  const bool shows_mode = beginning_shows_mode(plan, file.message.iv());
  KeyEvidence evidence{
      .with = choice.with,
      .is_passphrase = plan.from_passphrase,
      .padding_is_zeros = plan.job.padding != Padding::pkcs7,
      .is_text = kind.is_text(),
      .sums_are_right =
          kind.kind() == "PNG" && own_format == OwnFormat::none && !shows_mode && file.start && png_sums_are_right(file),
      .beginning_shows_mode = shows_mode,
      .key_shows_iv = key_shows_iv(plan),
      .iv_is_read = plan.iv_prefix,
      .first_block_shows_iv = first_block_shows_iv(plan, kind),
      .may_end_in_padding = takes_padding(plan.job.mode) && !padding_is_checked && kind.ends_as_padding(),
      .sectors_are_untried = false,
      .has_lost_its_tag = plan.cipher.way == ForeignWay::no_tag,
      .is_authenticated = own_format == OwnFormat::openpgp || (own_format == OwnFormat::cms && plan.job.mode == Mode::gcm),
      .is_of_cms = own_format == OwnFormat::cms && plan.job.mode != Mode::gcm,
      .other_sectors = {}};
  evidence.with.padding_bytes = file.message.checked_padding_bytes();
  evidence.with.kind = kind.kind();
  look_at_sectors(file, evidence);
  return evidence;
}

}  // namespace phalanx
