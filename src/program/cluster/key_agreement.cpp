#include "program/cluster/key_agreement.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <map>
#include <string>
#include <thread>

#include "engine/host/host.hpp"
#include "program/cluster/job_codec.hpp"
#include "program/cluster/worker.hpp"

namespace phalanx {
namespace {

constexpr std::chrono::milliseconds pause{1};

RankMessage wait_for_message(Ranks& ranks) {
  for (;;) {
    if (auto message = ranks.receive()) return std::move(*message);
    std::this_thread::sleep_for(pause);
  }
}

// Returns the Error for a rank that answers that it lacks the key, or has another. Returns nothing where it has the
// key.
std::optional<Error> refusal_in(JobDecoder& answer, int rank, RankSeal& seal) {
  const MessageType word = word_of(answer);
  if (word != MessageType::has_key && word != MessageType::no_key) JobDecoder::refuse();
  const std::string host = answer.text();
  const std::string who = fmt::format("rank {} on {}: ", rank, host);
  if (word == MessageType::no_key) {
    const ErrorCode code = answer.error_code();
    return Error(code, who + answer.text());
  }
  seal.set_salt(rank, answer.bytes_of(team_salt_bytes));
  const Bytes sealed = answer.bytes();
  answer.finish();
  try {
    static_cast<void>(seal.open(rank, sealed));
  } catch (const Error&) {
    return Error(ErrorCode::wrong_key, who +
                                           "its files hold another key or passphrase than those of rank 0: with "
                                           "--key-per-rank they must have the same content");
  }
  return std::nullopt;
}

// The refusal of the first rank that has no key, once each has answered.
std::optional<Error> hear_answers(Ranks& ranks, RankSeal& seal) {
  std::map<int, std::optional<Error>> answers;
  while (answers.size() + 1 < static_cast<std::size_t>(ranks.num_ranks())) {
    const RankMessage message = wait_for_message(ranks);
    JobDecoder answer(message.bytes);
    try {
      if (answers.contains(message.from)) JobDecoder::refuse();
      answers.emplace(message.from, refusal_in(answer, message.from, seal));
    } catch (const Error& error) {
      ranks.refuse(message.from, error.what());
    }
  }
  for (auto& [rank, refusal] : answers) {
    if (refusal) return std::move(refusal);
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
    throw Error(error, fmt::format("rank 0 on {}: {}", ranks.host(), error.what()));
  }
}

std::array<std::uint8_t, team_salt_bytes> random_salt() {
  std::array<std::uint8_t, team_salt_bytes> salt{};
  fill_random(salt);
  return salt;
}

void tell_all(Ranks& ranks, const JobEncoder& message) {
  for (int rank = 1; rank < ranks.num_ranks(); ++rank) ranks.send(rank, message.bytes());
}

}  // namespace

void lead_key_agreement(Ranks& ranks, const ClusterOptions& options) {
  const auto salt = random_salt();
  RankSeal seal = make_leading_seal(ranks, options, salt);
  JobEncoder question;
  question.put(MessageType::key);
  question.put(Bytes(salt));
  tell_all(ranks, question);
  // Ranks are told to end in clear then, since not all have the key.
  if (const auto refusal = hear_answers(ranks, seal)) throw Error(*refusal);
  JobEncoder start;
  start.put(MessageType::has_key);
  tell_all(ranks, start);
  ranks.seal_with(std::move(seal));
}

void give_up_key_agreement(Ranks& ranks, int exit_code) {
  JobEncoder message;
  message.put(MessageType::no_key);
  message.put(static_cast<std::uint64_t>(exit_code));
  tell_all(ranks, message);
}

bool KeyAgreement::concerns(Bytes message) const {
  JobDecoder reader(message);
  const MessageType word = word_of(reader);
  return !is_made_ && (is_awaited_ || word == MessageType::key || word == MessageType::no_key);
}

std::optional<int> KeyAgreement::on_message(Bytes message) {
  JobDecoder reader(message);
  const MessageType word = word_of(reader);
  if (word == MessageType::no_key) {
    const auto exit_code = static_cast<int>(reader.number_up_to(most_exit_code));
    reader.finish();
    return exit_code;
  }
  if (word == MessageType::key && !has_answered_) {
    const Bytes salt = reader.bytes_of(team_salt_bytes);
    reader.finish();
    has_answered_ = is_awaited_ = true;
    answer(salt);
  } else if (word == MessageType::has_key && seal_) {
    reader.finish();
    ranks_.seal_with(std::move(*seal_));
    seal_.reset();
    is_made_ = true;
  } else {
    throw Error(ErrorCode::runtime, "with --key-per-rank ranks agree on a key before all else");
  }
  return std::nullopt;
}

void KeyAgreement::answer(Bytes salt) {
  JobEncoder answer;
  try {
    seal_.emplace(make_seal(ranks_, take_cluster_options(argc_, argv_), salt));
    const auto own_salt = random_salt();
    seal_->set_salt(ranks_.rank(), own_salt);
    answer.put(MessageType::has_key);
    answer.put(ranks_.host());
    answer.put(Bytes(own_salt));
    answer.put(Bytes(seal_->seal(0, {})));
  } catch (const Error& error) {
    answer.put(MessageType::no_key);
    answer.put(ranks_.host());
    answer.put(error.code());
    answer.put(std::string_view(error.what()));
  }
  ranks_.send(0, answer.bytes());
}

}  // namespace phalanx
