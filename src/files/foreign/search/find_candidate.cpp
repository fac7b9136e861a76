#include "files/foreign/search/find_candidate.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "engine/text/counted.hpp"
#include "files/foreign/ciphertext_tail.hpp"
#include "files/foreign/message.hpp"
#include "files/foreign/openssl_keys.hpp"
#include "files/foreign/padding_evidence.hpp"
#include "files/foreign/search/first_piece.hpp"
#include "files/foreign/search/sniff.hpp"
#include "files/recognition/plaintext_kind.hpp"

namespace phalanx {
namespace {

// This is a candidate, with a way in which the file may be wrapped.
struct Trial {
  const Candidate* candidate = nullptr;
  bool base64 = false;
  MessagePlan plan;
  std::size_t padding_bytes = 0;  // 0: does not fit by its padding
  bool shows_wrong_key = false;   // by its padding
  bool recognised = false;        // what the first piece decrypts to
  [[nodiscard]] bool fits() const { return shows_wrong_key ? padding_bytes != 0 : recognised; }
  [[nodiscard]] bool is_slow() const { return plan.from_passphrase && plan.openssl.derivation.pbkdf2; }
};

class Search {
 public:
  Search(const Candidates& candidates, Input& input)
      : candidates_(candidates), input_(input), start_(input.position()), beginning_(input) {
    for (const Candidate& candidate : candidates.list)
      most_derived_bytes_ = std::max(most_derived_bytes_, derived_bytes(candidate.plan.cipher));
  }

  MatchedCandidate run(KeyTrials& trials);

 private:
  void add_trials(const Candidate& candidate);
  void judge_all();
  void judge(Trial& trial);
  [[nodiscard]] bool is_settled();
  void require_header(const Trial& trial, std::size_t header_bytes);
  [[nodiscard]] std::size_t padding_of(const Trial& trial, Bytes last_blocks);
  [[nodiscard]] bool is_recognised(const Trial& trial);
  [[nodiscard]] const SecretBytes& derived(const Trial& trial);
  [[nodiscard]] const CiphertextEnd& end_of(bool base64);
  [[nodiscard]] std::size_t choose();
  [[nodiscard]] MatchedCandidate describe(std::size_t winner);
  [[nodiscard]] std::string name_of(const Trial& trial) const;
  [[nodiscard]] Bytes beginning_of(const Trial& trial) const { return beginning_.wrapped(trial.base64).bytes; }
  void refuse_other_kinds() const;
  [[nodiscard]] bool may_be_base64() const;
  [[noreturn]] void throw_impossible();
  [[noreturn]] void throw_undecryptable(KeyTrials& trials) const;

  using Derivation = std::tuple<std::size_t, std::string, bool, bool>;  // secret, digest, PBKDF2, base64

  const Candidates& candidates_;
  Input& input_;
  std::uint64_t start_;
  SniffedFile beginning_;
  std::vector<Trial> trials_;
  std::size_t most_derived_bytes_ = 0;  // that a candidate takes: longer ones would take longer
  std::map<Derivation, SecretBytes> derived_;
  std::array<std::optional<CiphertextEnd>, 2> ends_;  // of the file, and of what it is the base64 of
  std::string why_cut_;                               // where no candidate's blocks fit: the error for the shortest
  std::size_t cut_block_bytes_ = SIZE_MAX;            // the size of those
  bool any_tried_ = false;
};

// Adds only the trials that the file's beginning allows.
void Search::add_trials(const Candidate& candidate) {
  for (const bool base64 : {false, true}) {
    const SniffedFormat& wrapped = beginning_.wrapped(base64);
    const OpensslPlan& stated = candidate.plan.openssl;
    if (candidates_.find_base64 ? !wrapped.possible : base64 != stated.base64) continue;
    if (candidate.plan.from_passphrase ? !candidates_.find_salt && wrapped.salted != stated.salted : wrapped.salted)
      continue;
    Trial trial{.candidate = &candidate, .base64 = base64, .plan = candidate.plan};
    trial.plan.openssl.base64 = base64;
    trial.plan.openssl.salted = wrapped.salted;
    trial.shows_wrong_key = shows_wrong_key(trial.plan.job.mode, trial.plan.job.padding);
    trials_.push_back(std::move(trial));
  }
}

const CiphertextEnd& Search::end_of(bool base64) {
  std::optional<CiphertextEnd>& end = ends_[base64 ? 1 : 0];
  if (!end) end = read_ciphertext_end(input_, start_, base64);
  return *end;
}

const SecretBytes& Search::derived(const Trial& trial) {
  const OpensslPlan& openssl = trial.plan.openssl;
  const std::size_t secret = trial.candidate->secret;
  SecretBytes& bytes = derived_[{secret, openssl.derivation.digest, openssl.derivation.pbkdf2, trial.base64}];
  if (bytes.size() != 0) return bytes;
  const Bytes salt =
      openssl.salted ? beginning_of(trial).subspan(openssl_magic_bytes, openssl.salt_bytes) : Bytes(openssl.salt);
  SecretBytes fresh(most_derived_bytes_);
  derive_key_and_iv(openssl.derivation, candidates_.secrets[secret], salt, fresh, {});
  bytes = std::move(fresh);
  return bytes;
}

std::size_t Search::padding_of(const Trial& trial, Bytes last_blocks) {
  const MessagePlan& plan = trial.plan;
  Bytes key = candidates_.secrets[trial.candidate->secret];
  Bytes iv = plan.iv_prefix ? beginning_of(trial).first(plan.job.iv.size) : Bytes(plan.job.iv);
  if (plan.from_passphrase) {
    const Bytes both = derived(trial);
    key = both.first(key_bytes(plan.cipher));
    if (!plan.iv_given) iv = both.subspan(key.size(), plan.job.iv.size);
  }
  const MessageEnd end{.cipher = plan.cipher, .padding = plan.job.padding, .last_blocks = last_blocks};
  return padding_under_key(end, key, iv, plan.options);
}

bool Search::is_recognised(const Trial& trial) {
  constexpr std::size_t piece_bytes = most_sector_bytes;  // whole sectors, of any size that divides it
  input_.seek(start_);
  bool recognised = false;
  try {
    const Bytes known = trial.plan.from_passphrase ? Bytes(derived(trial)) : Bytes();
    const Bytes secret = candidates_.secrets[trial.candidate->secret];
    const FirstPiece first = decrypt_first_piece(trial.plan, secret, known, input_, piece_bytes);
    const Piece& piece = first.piece;
    // The first data unit is the same however long the others are, which is settled later.
    const bool is_in_units = trial.plan.job.restart_bytes != 0;
    const std::size_t most = is_in_units ? std::min(recognised_from_bytes, openssl_unit_bytes) : recognised_from_bytes;
    const bool whole = piece.last && piece.size <= most;
    recognised = recognise_plaintext(piece.buffer.first(std::min(piece.size, most)), whole) != nullptr;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::runtime) throw;  // else this candidate does not fit
  }
  input_.seek(start_);
  return recognised;
}

// Throws Error: format where the text is no base64, truncated where the file ends within the header.
void Search::require_header(const Trial& trial, std::size_t header_bytes) {
  if (beginning_of(trial).size() >= header_bytes) return;
  static_cast<void>(end_of(trial.base64));
  throw Error(ErrorCode::truncated, "the input ends within its header");
}

void Search::judge(Trial& trial) {
  const MessagePlan& plan = trial.plan;
  const std::size_t salted_bytes = plan.from_passphrase ? plan.openssl.header_bytes() : 0;
  const std::size_t header_bytes = plan.iv_prefix ? plan.job.iv.size : salted_bytes;
  Bytes last_blocks;
  try {
    require_header(trial, header_bytes);
    if (trial.shows_wrong_key) last_blocks = last_blocks_of(end_of(trial.base64), header_bytes, plan.cipher.block_bytes);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::truncated) throw;
    const std::size_t block_bytes = plan.cipher.block_bytes;
    if (block_bytes < cut_block_bytes_) why_cut_ = explain_foreign(error, plan);
    cut_block_bytes_ = std::min(cut_block_bytes_, block_bytes);
    return;
  }
  any_tried_ = true;
  if (trial.shows_wrong_key) {
    trial.padding_bytes = padding_of(trial, last_blocks);
  } else {
    trial.recognised = is_recognised(trial);
  }
}

// PBKDF2 takes ten thousand times as long as the other derivation. It is run only where no other is beyond doubt.
void Search::judge_all() {
  for (Trial& trial : trials_) {
    if (!trial.is_slow()) judge(trial);
  }
  if (std::ranges::any_of(trials_, &Trial::is_slow) && is_settled()) {
    std::erase_if(trials_, [](const Trial& trial) { return trial.is_slow(); });
    return;
  }
  for (Trial& trial : trials_) {
    if (trial.is_slow()) judge(trial);
  }
}

// Says whether a trial fits whose plaintext is recognised. Under a wrong key that happens once in 2^32 times.
bool Search::is_settled() {
  return std::ranges::any_of(trials_, [this](Trial& trial) {
    if (trial.fits() && !trial.recognised) trial.recognised = is_recognised(trial);
    return trial.fits() && trial.recognised;
  });
}

// Returns the first trial that fits best. Where several fit, those whose plaintext is recognised go before the others.
std::size_t Search::choose() {
  const auto num_fitting = std::ranges::count_if(trials_, &Trial::fits);
  bool any_recognised = false;
  for (Trial& trial : trials_) {
    if (num_fitting > 1 && trial.fits() && !trial.recognised) trial.recognised = is_recognised(trial);
    any_recognised = any_recognised || trial.recognised;
  }
  std::vector<std::size_t> ranks;
  for (const Trial& trial : trials_) {
    const bool counts = trial.fits() && (trial.recognised || !any_recognised);
    ranks.push_back(counts ? trial.padding_bytes + 1 : 0);  // 1: recognised, in a mode without padding
  }
  return rank_by_padding(ranks)->best;
}

std::string Search::name_of(const Trial& trial) const {
  std::string name = trial.candidate->whole_name;
  if (candidates_.find_base64 && trial.base64) name += ", base64";
  if (candidates_.find_salt && trial.plan.from_passphrase && !trial.plan.openssl.salted) name += ", no salt";
  return name;
}

MatchedCandidate Search::describe(std::size_t winner) {
  const Trial& best = trials_[winner];
  MatchedCandidate choice{.plan = best.plan,
                          .derived = best.plan.from_passphrase ? SecretBytes(Bytes(derived(best))) : SecretBytes(),
                          .secret = best.candidate->secret,
                          .with = {.candidate = best.candidate->name,
                                   .found = name_of(best),
                                   .num_candidates = trials_.size(),
                                   .padding_bytes = best.padding_bytes},
                          .others = {}};
  OpenedWith& with = choice.with;
  std::string others;
  for (const Trial& trial : trials_) {
    if (&trial == &best) continue;
    if (trial.candidate != best.candidate) choice.others.push_back(trial.candidate->name);
    if (!trial.fits()) continue;
    with.also_fits.push_back(name_of(trial));
    with.other_padding_bytes = std::max(with.other_padding_bytes, trial.padding_bytes);
    with.another_is_recognised = with.another_is_recognised || trial.recognised;
    others += (others.empty() ? "" : "; ") + trial.candidate->name + " fits too";
    if (trial.padding_bytes != 0) others += ", with " + std::to_string(trial.padding_bytes);
  }
  with.note = "the search took " + (with.candidate.empty() ? with.found : with.candidate) + ", which gives " +
              (best.shows_wrong_key ? count_bytes(best.padding_bytes) + " of padding" : "a plaintext of a known kind");
  if (best.shows_wrong_key && best.recognised) with.note += " and a plaintext of a known kind";
  if (!others.empty()) with.note += "; " + others + ": if the output is wrong, name what is right";
  return choice;
}

// The file's beginning alone rules every candidate out, and the first one says why.
void Search::throw_impossible() {
  const Candidate& first = candidates_.list.front();
  MessagePlan plan = first.plan;
  if (candidates_.find_base64) plan.openssl.base64 = beginning_.wrapped(true).possible;
  try {
    const ForeignMessage message(plan, candidates_.secrets[first.secret], input_);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::runtime) throw;
    throw UndecryptableFile(error, error.what());
  }
  throw UndecryptableFile(ErrorCode::format, input_.name() + " begins as nothing that was described",
                          {.name = input_.name()});
}

void Search::throw_undecryptable(KeyTrials& trials) const {
  if (!any_tried_) throw UndecryptableFile(ErrorCode::truncated, why_cut_);
  std::string hint;
  for (const Candidate& candidate : candidates_.list) {
    trials.failed(candidate.name);
    if (hint.empty()) hint = hint_of_ecb(candidate.plan);
  }
  if (std::ranges::any_of(trials_, [](const Trial& trial) { return !trial.shows_wrong_key; })) {
    hint +=
        ". In modes without padding only a plaintext of a known kind is taken, so that one of them may be right: "
        "describe the file by that one alone";
  }
  throw UndecryptableFile(ErrorCode::wrong_key, "none of " + std::to_string(trials_.size()) +
                                                    " candidates opens it: another passphrase, key, cipher or derivation "
                                                    "(digest, PBKDF2) is needed, or it is damaged" +
                                                    hint);
}

// Says whether a text can be base64 of old ciphertext, as far as its kind tells.
bool Search::may_be_base64() const {
  const FileKind kind = beginning_.recognised().kind;
  return beginning_.wrapped(true).possible &&
         (kind == FileKind::text || kind == FileKind::base64 || kind == FileKind::hex || kind == FileKind::openssl_enc);
}

// Ciphertext looks random. A file of a known kind is none, even if its end fits by chance.
void Search::refuse_other_kinds() const {
  if (beginning_.is_empty()) throw UndecryptableFile(ErrorCode::truncated, input_.name() + " is empty");
  const RecognisedFile& file = beginning_.recognised();
  const MessagePlan& first = candidates_.list.front().plan;
  const bool is_stated_text = !candidates_.find_base64 && first.openssl.base64;
  if (is_stated_text || !is_named(file) || beginning_.wrapped(false).salted) return;
  const bool is_base64 = may_be_base64();
  if (is_base64 && candidates_.find_base64) return;
  if (is_base64 && file.kind != FileKind::text && file.kind != FileKind::hex)
    refuse_unstated_base64(first, file, input_.name());
  refuse_kind(file, input_.name());
}

MatchedCandidate Search::run(KeyTrials& trials) {
  refuse_other_kinds();
  for (const Candidate& candidate : candidates_.list) add_trials(candidate);
  if (trials_.empty()) throw_impossible();
  try {
    judge_all();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::format && error.code() != ErrorCode::truncated) throw;
    throw UndecryptableFile(error, error.what());  // bad base64
  }
  if (std::ranges::none_of(trials_, &Trial::fits)) throw_undecryptable(trials);
  return describe(choose());
}

}  // namespace

MatchedCandidate find_candidate(const Candidates& candidates, Input& input, KeyTrials& trials) {
  if (!input.remaining_bytes()) {
    throw Error(ErrorCode::usage, "the search for a digest, or for whatever opens it, looks at the end first, and " +
                                      input.name() + " cannot seek: name a file as IN");
  }
  return Search(candidates, input).run(trials);
}

}  // namespace phalanx
