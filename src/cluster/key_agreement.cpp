#include "cluster/key_agreement.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "cluster/member.hpp"
#include "formats/random_bytes.hpp"
#include "io/piece_job.hpp"

namespace phalanx {
namespace {

constexpr std::chrono::milliseconds pause{1};

RankMessage wait_for_message(Ranks& ranks) {
  for (;;) {
    if (auto message = ranks.receive()) return std::move(*message);
    std::this_thread::sleep_for(pause);
  }
}

// What an answer says against its rank; nothing where that has the key.
std::optional<Error> refusal_in(JobReader& answer, int rank, RankSeal& seal) {
  const auto word = static_cast<TeamWord>(answer.number());
  const std::string host = answer.text();
  const std::string who = fmt::format("rank {} on {}: ", rank, host);
  if (word != TeamWord::has_key) {
    const auto code = static_cast<ErrorCode>(answer.number());
    return Error(code, who + answer.text());
  }
  seal.set_salt(rank, answer.bytes());
  try {
    static_cast<void>(seal.open(rank, answer.bytes()));
  } catch (const Error&) {
    return Error(ErrorCode::wrong_key, who +
                                           "its files hold another key or passphrase than those of rank 0: with "
                                           "--key-per-rank they must have the same content");
  }
  return std::nullopt;
}

RankSeal make_seal(const Ranks& ranks, const ClusterOptions& options, Bytes salt) {
  return {read_team_key(secret_files_of(options.arguments), salt), ranks.rank()};
}

RankSeal make_leading_seal(const Ranks& ranks, const ClusterOptions& options, Bytes salt) {
  try {
    return make_seal(ranks, options, salt);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::usage || ranks.num_ranks() == 1) throw;
    throw Error(error.code(), fmt::format("rank 0 on {}: {}", ranks.host(), error.what()));
  }
}

std::array<std::uint8_t, team_salt_bytes> random_salt() {
  std::array<std::uint8_t, team_salt_bytes> salt{};
  fill_random(salt);
  return salt;
}

void tell_all(Ranks& ranks, const JobWriter& message) {
  for (int rank = 1; rank < ranks.num_ranks(); ++rank) ranks.send(rank, message.bytes());
}

}  // namespace

void lead_key_agreement(Ranks& ranks, const ClusterOptions& options) {
  const auto salt = random_salt();
  RankSeal seal = make_leading_seal(ranks, options, salt);
  JobWriter question;
  question.put(TeamWord::key);
  question.put(Bytes(salt));
  tell_all(ranks, question);
  std::optional<Error> first_refusal;
  int first_rank = ranks.num_ranks();
  for (int num_heard = 1; num_heard < ranks.num_ranks(); ++num_heard) {
    const RankMessage message = wait_for_message(ranks);
    JobReader answer(message.bytes);
    const auto refusal = refusal_in(answer, message.from, seal);
    if (!refusal || message.from > first_rank) continue;
    first_rank = message.from;
    first_refusal.emplace(*refusal);
  }
  // Ranks are told to end in clear then, since not all have the key.
  if (first_refusal) throw Error(first_refusal->code(), first_refusal->what());
  JobWriter start;
  start.put(TeamWord::has_key);
  tell_all(ranks, start);
  ranks.seal_with(std::move(seal));
}

bool KeyAgreement::hear(Bytes message) {
  JobReader reader(message);
  const auto word = static_cast<TeamWord>(reader.number());
  if (word == TeamWord::key) {
    answer(reader.bytes());
    return true;
  }
  if (word != TeamWord::has_key || !seal_) return false;
  ranks_.seal_with(std::move(*seal_));
  seal_.reset();
  return true;
}

void KeyAgreement::answer(Bytes salt) {
  JobWriter answer;
  try {
    seal_.emplace(make_seal(ranks_, take_cluster_options(argc_, argv_), salt));
    const auto own_salt = random_salt();
    seal_->set_salt(ranks_.rank(), own_salt);
    answer.put(TeamWord::has_key);
    answer.put(ranks_.host());
    answer.put(Bytes(own_salt));
    answer.put(Bytes(seal_->seal(0, {})));
  } catch (const Error& error) {
    answer.put(TeamWord::no_key);
    answer.put(ranks_.host());
    answer.put(error.code());
    answer.put(std::string_view(error.what()));
  }
  ranks_.send(0, answer.bytes());
}

}  // namespace phalanx
