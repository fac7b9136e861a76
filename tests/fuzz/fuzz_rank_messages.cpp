// What a rank of phalanx-mpi hears, from rank 0 or somebody in its place, and what rank 0 hears from the others: descriptions of
// jobs with any numbers in them, answers that nobody asked for, and any bytes. A rank refuses, or does what it was told with
// files of this folder; with --key-per-rank it does nothing until all is sealed.
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "engine/library/names/cipher_name.hpp"
#include "engine/modes/named_cipher.hpp"
#include "files/container/file/checkpointed_sink.hpp"
#include "files/container/file/recorded_sink.hpp"
#include "files/container/file/resume_record.hpp"
#include "files/container/file/stages.hpp"
#include "files/foreign/message_cipher.hpp"
#include "files/migration/plaintext_kind_stage.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/pipeline/plaintext_mac.hpp"
#include "files/system/progress.hpp"
#include "program/cluster/cluster_run.hpp"
#include "program/cluster/coordinator.hpp"
#include "program/cluster/job_description.hpp"
#include "program/cluster/key_agreement.hpp"
#include "program/cluster/worker.hpp"
#include "tests/cluster/messages/ranks_in_memory.hpp"
#include "tests/fuzz/fuzzed_jobs.hpp"

namespace phalanx::fuzz {
namespace {

struct Refused {};

// A rank that hears no more of a run waits so many times before it is told to end.
constexpr int most_waits = 50;

class FilesOfRanks {
 public:
  FilesOfRanks() {
    write_file(path_of("KEY"), Buffer(32, 7));
    write_file(path_of("OTHER"), Buffer(100, 'x'));
    write_file(path_of("LARGE"), {});
    std::filesystem::resize_file(path_of("LARGE"), std::uint64_t{9} << 20);
    require(::mkfifo(path_of("PIPE").c_str(), 0600) == 0, "a pipe");
  }
  void renew() const {
    write_file(path_of("IN"), Buffer(in_bytes, 'A'));
    write_file(path_of("OUT"), Buffer(6000, 'o'));
    for (const auto& [name, kind] : {std::pair("SEALED", sealed_records), std::pair("WRITTEN", written_records)}) {
      Buffer record(kind.magic, kind.magic + 16);
      record.push_back(message_prefix_bytes);
      record.resize(8192);
      write_file(path_of(name), record);
    }
  }
  [[nodiscard]] static bool has_old_out() { return read_file(path_of("OUT")) == Buffer(6000, 'o'); }
  [[nodiscard]] static bool has_others() {
    return read_file(path_of("OTHER")) == Buffer(100, 'x') && read_file(path_of("KEY")) == Buffer(32, 7);
  }
};

Buffer take_words(FuzzedInput& input) {
  JobEncoder message;
  choose_odd_field(input);
  message.put(odd(input, 1 + input.below(10)));
  for (std::size_t left = input.below(4); left > 0; --left) message.put(odd(input, input.below(20)));
  if (input.below(4) == 0) message.put(Bytes(take_bytes(input, team_salt_bytes)));
  return bytes_of(message);
}

Buffer take_message(FuzzedInput& input, std::size_t& num_jobs) {
  const std::size_t kind = input.below(8);
  if (kind < 5) return take_job(input, num_jobs);
  if (kind < 7) return take_words(input);
  Buffer bytes = input.fill(input.below(200));
  std::ranges::replace(bytes, std::uint8_t{'/'}, std::uint8_t{'_'});
  return bytes;
}

// Rank 1 of three, as rank 0 sees it.
class HeardRank {
 public:
  HeardRank(FuzzedInput& input, bool per_rank) : input_(input), per_rank_(per_rank) {
    std::size_t num_jobs = 0;
    for (std::size_t left = input.below(6); left > 0 && !input.is_empty(); --left)
      messages_.push_back(take_message(input, num_jobs));
    if (per_rank && input.flag()) agree();
  }

  void run() {
    const RankInMemory rank{.rank = 1,
                            .num_ranks = 3,
                            .hear = [this] { return next(); },
                            .say = [this](int to, Bytes bytes, bool is_sealed) { hear(to, bytes, is_sealed); },
                            .refuse =
                                [](int /*from*/, const std::string& why) {
                                  require(!why.empty(), "a refusal says why");
                                  throw Refused{};
                                }};
    set_rank_in_memory(rank);
    std::vector<std::string> words{"phalanx-mpi", "decrypt", "--threads=1"};
    const std::string key = path_of(per_rank_ && input_.below(8) == 7 ? "missing" : "KEY");
    if (per_rank_) words.insert(words.end(), {"--key-per-rank", "--key-file", key});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    int argc = static_cast<int>(arguments.size());
    char** argv = arguments.data();
    Ranks ranks(argc, argv);
    try {
      const int exit_code = run_on_ranks(ranks, argc, argv);
      require(exit_code >= 0 && exit_code < 256, "an exit code");
    } catch (const Refused&) {
    }
    require(!per_rank_ || is_agreed_ || FilesOfRanks::has_old_out(), "nothing is done before all have the key");
  }

 private:
  // Before all else, and by the rules, the agreement.
  void agree() {
    JobEncoder key, has_key;
    key.put(MessageType::key);
    key.put(Bytes(Buffer(team_salt_bytes, 1)));
    has_key.put(MessageType::has_key);
    messages_.insert(messages_.begin(), {bytes_of(key), bytes_of(has_key)});
    is_leading_ = true;
  }

  std::optional<RankMessage> next() {
    if (number_ < messages_.size()) {
      const Buffer& message = messages_[number_];
      const bool seals = is_leading_ && number_ >= 2 && input_.below(64) != 63;
      ++number_;
      num_jobs_ += !message.empty() && message.front() == 1 ? 1 : 0;
      if (is_leading_ && number_ == 2 && leader_) is_agreed_ = true;
      return told(message, seals, input_.below(32) == 31 ? 2 : 0);
    }
    if (num_done_ < num_jobs_ && ++num_waits_ < most_waits) return std::nullopt;
    JobEncoder quit;
    quit.put(per_rank_ && !is_agreed_ ? MessageType::no_key : MessageType::quit);
    quit.put(std::uint64_t{3});
    return told(bytes_of(quit), is_agreed_, 0);
  }

  RankMessage told(const Buffer& message, bool seals, int from) {
    if (seals && leader_) return {.from = from, .bytes = leader_->seal(1, message)};
    return {.from = from, .bytes = SecretBytes(Bytes(message))};
  }

  void hear(int to, Bytes message, bool is_sealed) {
    require(to == 0, "a rank speaks to rank 0");
    JobDecoder reader(message);
    const MessageType word = word_of(reader);
    const bool of_agreement = word == MessageType::has_key || word == MessageType::no_key;
    require(!per_rank_ || is_sealed != of_agreement, "all but the agreement is sealed");
    if (word == MessageType::done) ++num_done_;
    if (word != MessageType::has_key || !is_leading_) return;
    static_cast<void>(reader.text());
    const SecretFile files[] = {{.path = path_of("KEY")}};
    leader_.emplace(read_team_key(files, Buffer(team_salt_bytes, 1)), 0);
    leader_->set_salt(1, reader.bytes());
    static_cast<void>(leader_->open(1, reader.bytes()));
  }

  FuzzedInput& input_;
  bool per_rank_, is_leading_ = false, is_agreed_ = false;
  std::vector<Buffer> messages_;
  std::size_t number_ = 0, num_jobs_ = 0, num_done_ = 0;
  int num_waits_ = 0;
  std::optional<RankSeal> leader_;
};

class NoProgress : public Progress {
 public:
  void add(std::uint64_t /*num_bytes*/) override {}
};

// What the ranks do together with a file: each kind of part that is described to them, and of which they say how it went.
enum class Work : unsigned char { crypt, look, seal, open };

// What a rank says of its share.
Buffer take_report(FuzzedInput& input, Work work) {
  JobEncoder report;
  report.put(odd(input, 3U << 20));
  if (work == Work::crypt) {
    report.put(odd(input, 16));
    report.put(Bytes(take_bytes(input, 16)));
  }
  if (work == Work::look) {
    report.put(take_text(input, "text"));
    for (int i = 0; i < 3; ++i) report.put(odd(input, input.below(2)));
  }
  report.put(odd(input, 3U << 20));  // what was summed up, or where what was written ends
  if (work == Work::seal) {
    report.put(odd(input, 3));
    report.put(odd(input, input.below(2)));
  }
  if (is_odd_one()) report.put(std::uint64_t{3});
  return bytes_of(report);
}

// What the others say of job 0.
Buffer take_answer(FuzzedInput& input, Work work) {
  constexpr MessageType words[] = {MessageType::done, MessageType::done, MessageType::ask, MessageType::progress};
  if (input.below(8) == 7) return take_words(input);
  const MessageType word = input.one_of(words);
  JobEncoder message;
  choose_odd_field(input);
  message.put(word);
  message.put(odd(input, 0));
  if (word == MessageType::progress) message.put(odd(input, 1U << 20));
  if (word != MessageType::done) return bytes_of(message);
  const bool fails = input.below(4) == 3;
  message.put(odd(input, fails ? input.below(9) : JobShare::none));
  message.put(odd(input, fails ? 1 + input.below(6) : 0));
  message.put(take_text(input, "it fails\n"));
  message.put(Bytes(take_report(input, work)));
  for (int i = 0; i < 5; ++i) message.put(odd(input, 1000));
  message.put(take_text(input, "host"));
  return bytes_of(message);
}

// An honest end, so that no run waits for ever.
RankMessage end_of_rank(int rank) {
  JobEncoder message;
  message.put(MessageType::done);
  message.put(std::uint64_t{0});
  message.put(std::uint64_t{0});
  message.put(ErrorCode::runtime);
  message.put("the end");
  message.put(Bytes());
  for (int i = 0; i < 5; ++i) message.put(std::uint64_t{0});
  message.put("host");
  return {.from = rank, .bytes = SecretBytes(message.bytes())};
}

void run_led(Coordinator& coordinator, std::size_t piece_bytes, std::span<PipelineStage* const> stages, PieceSink& sink) {
  const FileDescriptor in = open_file(path_of("LARGE"), 0);
  FilePieces reader({in.get(), path_of("LARGE"), 0, std::uint64_t{9} << 20}, piece_bytes, 16);
  NoProgress progress;
  run_pieces(reader, stages, sink, progress, {.num_threads = 1, .executor = &coordinator, .asked_engine = "cpu"});
}

void crypt_led(Coordinator& coordinator) {
  const RawCipher cipher(parse_cipher_name("aes-256-ctr"), Buffer(32, 1), false,
                         EngineOptions{.engine = "cpu", .num_threads = 1});
  MessageCipher stage(cipher, {.mode = Mode::ctr, .iv = {.size = 16}, .sectors = {}});
  const PlaintextMacKey key;
  PlaintextMacStage mac(key);
  PipelineStage* const stages[] = {&stage, &mac};
  NullPieces sink;
  run_led(coordinator, default_piece_bytes, stages, sink);
}

void look_led(Coordinator& coordinator) {
  PlaintextKindStage kind;
  PipelineStage* const stages[] = {&kind};
  AtomicFile out(path_of("LED"), {});
  FileSink sink(out, 0);
  run_led(coordinator, default_piece_bytes, stages, sink);
}

// Seals the file, or opens it, which it is not sealed for.
void change_led(Coordinator& coordinator, Work work) {
  const Buffer key(32, 1);
  const ChunkedCipher cipher(find_suite("aes-256"), key, random_chunk_salt(), {}, {.engine = "cpu", .num_threads = 1});
  AtomicFile out(path_of("LED"), {});
  RecordFile records(out, work == Work::seal ? sealed_records : written_records);
  records.begin(Buffer(message_prefix_bytes));
  records.use(key, cipher.prefix());
  if (work == Work::seal) {
    SealStage stage(cipher);
    PipelineStage* const stages[] = {&stage};
    RecordedSink sink({.file = out, .force_name = "--force"}, records, RecordedSink::Take::all, false);
    return run_led(coordinator, plain_piece_bytes, stages, sink);
  }
  OpenStage stage(cipher, 0, true);
  PipelineStage* const stages[] = {&stage};
  const PlaintextMacKey mac_key;
  NoProgress progress;
  CheckpointedSink sink(out, records, mac_key, std::uint64_t{9} << 20, progress);
  run_led(coordinator, sealed_piece_bytes, stages, sink);
}

void run_work(Coordinator& coordinator, Work work) {
  if (work == Work::crypt) return crypt_led(coordinator);
  if (work == Work::look) return look_led(coordinator);
  change_led(coordinator, work);
}

// One answer to the question for the key; whether it is of a rank that has it, and seals with it.
Buffer take_key_answer(FuzzedInput& input, int rank, Bytes salt, bool& has_key) {
  JobEncoder answer;
  choose_odd_field(input);
  has_key = input.below(4) != 3;
  answer.put(odd(input, static_cast<std::uint64_t>(has_key ? MessageType::has_key : MessageType::no_key)));
  answer.put(take_text(input, "host"));
  if (!has_key) {
    answer.put(odd(input, 1 + input.below(6)));
    answer.put(take_text(input, "there is no such file"));
    return bytes_of(answer);
  }
  has_key = input.below(4) != 3;
  const SecretFile files[] = {{.path = path_of(has_key ? "KEY" : "OTHER")}};
  RankSeal seal(read_team_key(files, salt), rank);
  const Buffer own_salt(team_salt_bytes, static_cast<std::uint8_t>(rank));
  seal.set_salt(rank, own_salt);
  answer.put(Bytes(is_odd_one() ? take_bytes(input, team_salt_bytes) : own_salt));
  answer.put(Bytes(seal.seal(0, {})));
  if (is_odd_one()) answer.put(std::uint64_t{5});
  return bytes_of(answer);
}

// Rank 0 of three, which asks the others for the key: they agree only if all have it.
void lead_agreement(FuzzedInput& input) {
  Buffer salt;
  int num_heard = 0;
  bool all_have_key = true;
  bool is_made = false;
  const RankInMemory rank{.num_ranks = 3,
                          .hear = [&]() -> std::optional<RankMessage> {
                            if (input.below(8) == 7) return std::nullopt;
                            bool has_key = false;
                            const int from = input.below(16) == 15 ? 1 : 1 + num_heard++ % 2;
                            const Buffer answer = take_key_answer(input, from, salt, has_key);
                            all_have_key = all_have_key && has_key;
                            return RankMessage{.from = from, .bytes = SecretBytes(Bytes(answer))};
                          },
                          .say =
                              [&](int, Bytes message, bool is_sealed) {
                                require(is_made || !is_sealed, "nothing is sealed before all have the key");
                                JobDecoder reader(message);
                                if (word_of(reader) == MessageType::key) salt = buffer_of(reader.bytes());
                              },
                          .refuse = [](int, const std::string&) { throw Refused{}; }};
  set_rank_in_memory(rank);
  int argc = 0;
  char** argv = nullptr;
  Ranks ranks(argc, argv);
  ClusterOptions options{.key_per_rank = true, .arguments = {}};
  options.arguments = {"phalanx-mpi", "decrypt", "--key-file", path_of(input.below(8) == 7 ? "missing" : "KEY")};
  try {
    const auto error = error_of([&] { lead_key_agreement(ranks, options); });
    is_made = !error;
    require(error || all_have_key, "they agree only if all have the key");
    if (error) give_up_key_agreement(ranks, static_cast<int>(*error));
  } catch (const Refused&) {
  }
}

// Rank 0 of three, which has a file read by all.
void lead(FuzzedInput& input) {
  const auto work = static_cast<Work>(input.below(4));
  std::vector<RankMessage> answers;
  for (std::size_t left = input.below(8); left > 0 && !input.is_empty(); --left) {
    const int from = 1 + static_cast<int>((answers.size() + input.below(8) / 7) % 2);
    answers.push_back({.from = from, .bytes = SecretBytes(Bytes(take_answer(input, work)))});
  }
  std::size_t number = 0;
  bool has_begun = false;
  const RankInMemory rank{.num_ranks = 3,
                          .hear = [&]() -> std::optional<RankMessage> {
                            if (!has_begun) return std::nullopt;
                            const std::size_t i = number++;
                            if (i < answers.size()) return std::move(answers[i]);
                            return end_of_rank(1 + static_cast<int>(i % 2));
                          },
                          .say = [&](int, Bytes, bool) { has_begun = true; },
                          .refuse = [](int, const std::string&) { throw Refused{}; }};
  set_rank_in_memory(rank);
  int argc = 0;
  char** argv = nullptr;
  Ranks ranks(argc, argv);
  Coordinator coordinator(ranks, input.flag() ? Distribution::dynamic : Distribution::even,
                          {.num_threads = 1, .engine = ""});
  std::atomic<bool> is_over{false};
  std::thread command([&] {
    static_cast<void>(error_of([&] { run_work(coordinator, work); }));
    is_over = true;
  });
  while (!is_over) {
    try {
      coordinator.serve(is_over);
    } catch (const Refused&) {
    }
  }
  command.join();
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx::fuzz;
  static const FilesOfRanks files;
  FuzzedInput input(data, size);
  files.renew();
  const std::size_t who = input.below(16);
  if (who == 0) {
    lead(input);
  } else if (who == 15) {
    lead_agreement(input);
  } else {
    HeardRank(input, who % 2 == 0).run();
  }
  require(FilesOfRanks::has_others(), "what no job names stays as it is");
  return 0;
}
