// Who is heard, and when: a rank by rank 0 alone, with --key-per-rank not before there is a key; rank 0 by those that are at work.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "files/system/progress.hpp"
#include "program/cluster/cluster_run.hpp"
#include "program/cluster/coordinator.hpp"
#include "program/cluster/worker.hpp"
#include "tests/cluster/messages/ranks_in_memory.hpp"

namespace phalanx {
namespace {

struct Refused {
  int from;
  std::string why;
};

JobEncoder words(std::initializer_list<std::uint64_t> numbers) {
  JobEncoder message;
  for (const std::uint64_t number : numbers) message.put(number);
  return message;
}

std::uint64_t number_of(MessageType word) { return static_cast<std::uint64_t>(word); }

RankMessage from_rank(int from, const JobEncoder& message) { return {.from = from, .bytes = SecretBytes(message.bytes())}; }

JobEncoder job(std::uint64_t number) {
  JobEncoder message = words({number_of(MessageType::job), number, 0, 4, 1});
  message.put(Bytes());
  return message;
}

JobEncoder quit(MessageType word = MessageType::quit) { return words({number_of(word), 5}); }

JobEncoder question() {
  JobEncoder message = words({number_of(MessageType::key)});
  message.put(Bytes(SecretBytes(team_salt_bytes)));
  return message;
}

class RankMessages : public testing::Test {
 protected:
  RankMessages() {
    std::filesystem::create_directory(folder_);
    std::ofstream(folder_ / "key") << std::string(32, 'k');
  }
  ~RankMessages() override { std::filesystem::remove_all(folder_); }

  // Rank 1, which hears these. Returns its exit code; throws Refused.
  int serve(std::vector<RankMessage> messages, bool per_rank = false) {
    std::size_t number = 0;
    const RankInMemory rank{.rank = 1,
                            .num_ranks = 3,
                            .hear = [&]() -> std::optional<RankMessage> {
                              if (number == messages.size()) throw Refused{-1, "nothing ended it"};
                              return std::move(messages[number++]);
                            },
                            .say = [this](int, Bytes message, bool) { said_.emplace_back(message.begin(), message.end()); },
                            .refuse =
                                [](int from, const std::string& why) {
                                  throw Refused{from, why};
                                }};
    set_rank_in_memory(rank);
    std::vector<std::string> arguments{"phalanx-mpi", "decrypt", "--key-file", (folder_ / "key").string()};
    if (per_rank) arguments.emplace_back("--key-per-rank");
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    int argc = static_cast<int>(pointers.size());
    char** argv = pointers.data();
    Ranks ranks(argc, argv);
    return run_on_ranks(ranks, argc, argv);
  }

  void expect_refused(std::vector<RankMessage> messages, const std::string& why, bool per_rank = false, int from = 0) {
    try {
      static_cast<void>(serve(std::move(messages), per_rank));
      FAIL() << why;
    } catch (const Refused& refused) {
      EXPECT_EQ(refused.from, from) << why << ": " << refused.why;
      EXPECT_NE(refused.why.find(why), std::string::npos) << refused.why;
    }
  }

  template <class... Messages>
  static std::vector<RankMessage> told(const Messages&... messages) {
    std::vector<RankMessage> list;
    (list.push_back(from_rank(0, messages)), ...);
    return list;
  }

  std::vector<std::vector<std::uint8_t>> said_{};
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("rank_messages_" + std::to_string(getpid()));
};

constexpr const char* before_all_else = "agree on a key before all else";
constexpr const char* not_ours = "another form than ours";

TEST_F(RankMessages, ARankEndsWhenItIsTold) {
  EXPECT_EQ(serve(told(quit())), 5);
  EXPECT_EQ(serve(told(job(0), quit())), 5);
}

TEST_F(RankMessages, NothingIsHeardBeforeTheAgreement) {
  expect_refused(told(job(0), quit()), before_all_else, true);
  expect_refused(told(quit()), before_all_else, true);
  expect_refused(told(words({number_of(MessageType::stop), 0})), before_all_else, true);
  expect_refused(told(words({number_of(MessageType::has_key)})), before_all_else, true);
  EXPECT_TRUE(said_.empty());
  expect_refused(told(question(), job(0)), before_all_else, true);
  EXPECT_EQ(said_.size(), 1U);
  expect_refused(told(question(), question()), before_all_else, true);
  expect_refused(told(question(), words({number_of(MessageType::has_key)}), job(0)), "not authentic", true);
  EXPECT_EQ(serve(told(quit(MessageType::no_key)), true), 5);
  EXPECT_EQ(serve(told(question(), quit(MessageType::no_key)), true), 5);
}

TEST_F(RankMessages, OnlyRankZeroIsHeard) {
  for (const bool per_rank : {false, true}) {
    for (const JobEncoder& message : {job(0), quit(), question()}) {
      std::vector<RankMessage> messages;
      messages.push_back(from_rank(2, message));
      expect_refused(std::move(messages), "only rank 0", per_rank, 2);
    }
  }
  std::vector<RankMessage> sealed = told(question(), words({number_of(MessageType::has_key)}));
  sealed.push_back(from_rank(2, job(0)));
  expect_refused(std::move(sealed), "not authentic", true, 2);
}

TEST_F(RankMessages, OnlyWhatFitsIsHeard) {
  JobEncoder backwards = words({number_of(MessageType::job), 0, 5, 4, 1});
  backwards.put(Bytes());
  JobEncoder perhaps = words({number_of(MessageType::job), 0, 0, 4, 2});
  perhaps.put(Bytes());
  JobEncoder cut = words({number_of(MessageType::job), 0, 0, 4, 1, 1000});
  expect_refused(told(backwards), not_ours);
  expect_refused(told(perhaps), not_ours);
  expect_refused(told(cut), not_ours);
  expect_refused(told(job(0), job(0)), not_ours);
  expect_refused(told(words({number_of(MessageType::quit), 256})), not_ours);
  expect_refused(told(words({number_of(MessageType::quit), 1, 1})), not_ours);
  expect_refused(told(words({0})), not_ours);
  expect_refused(told(words({258, 0})), not_ours);
  for (const MessageType word : {MessageType::ask, MessageType::progress, MessageType::done, MessageType::has_key}) {
    expect_refused(told(words({number_of(word), 0})), not_ours);
  }
}

class NoProgress : public Progress {
 public:
  void add(std::uint64_t /*num_bytes*/) override {}
};

JobEncoder done(std::uint64_t number, std::uint64_t failed_piece = JobShare::none, std::uint64_t code = 0,
                std::string_view host = "host") {
  JobEncoder message = words({number_of(MessageType::done), number, failed_piece, code});
  message.put("");
  message.put(Bytes());
  for (int i = 0; i < 5; ++i) message.put(std::uint64_t{0});
  message.put(host);
  return message;
}

// Rank 0 of three, which asks for 21 pieces and hears these. The senders that it refuses, and its table; its own share fails.
std::vector<int> lead(std::vector<RankMessage> messages, std::string& table) {
  messages.push_back(from_rank(1, done(0)));
  messages.push_back(from_rank(2, done(0)));
  std::vector<int> refused;
  std::size_t number = 0;
  bool has_begun = false;
  const RankInMemory rank{.rank = 0,
                          .num_ranks = 3,
                          .hear = [&]() -> std::optional<RankMessage> {
                            if (!has_begun || number == messages.size()) return std::nullopt;
                            return std::move(messages[number++]);
                          },
                          .say = [&](int, Bytes, bool) { has_begun = true; },
                          .refuse =
                              [](int from, const std::string& why) {
                                throw Refused{from, why};
                              }};
  set_rank_in_memory(rank);
  int argc = 0;
  char** argv = nullptr;
  Ranks ranks(argc, argv);
  Coordinator coordinator(ranks, Distribution::even, {.num_threads = 1, .engine = ""});
  std::atomic<bool> is_over{false};
  std::thread command([&] {
    NoProgress progress;
    EXPECT_THROW(static_cast<void>(coordinator.run_described({}, 21, std::uint64_t{21} << 20, progress)), Error);
    is_over = true;
  });
  while (!is_over) {
    try {
      coordinator.serve(is_over);
    } catch (const Refused& sender) {
      refused.push_back(sender.from);
    }
  }
  command.join();
  testing::internal::CaptureStderr();
  coordinator.print_table(true);
  table = testing::internal::GetCapturedStderr();
  return refused;
}

TEST_F(RankMessages, RankZeroHearsAnHonestEnd) {
  std::string table;
  EXPECT_EQ(lead({}, table), std::vector<int>{});
}

TEST_F(RankMessages, AHostsNameIsNoWayOutOfTheTable) {
  std::string table;
  std::vector<RankMessage> messages;
  messages.push_back(from_rank(2, done(0, JobShare::none, 0, "a\x1b[2J\"},\n\x9b")));
  EXPECT_EQ(lead(std::move(messages), table), std::vector<int>{2});  // its honest end, for it was done
  EXPECT_NE(table.find(R"("host":"a?[2J?},??")"), std::string::npos) << table;
}

TEST_F(RankMessages, RankZeroIsNotTakenIn) {
  const std::vector<std::pair<const char*, JobEncoder>> wrong = [] {
    std::vector<std::pair<const char*, JobEncoder>> list;
    list.emplace_back("another job", done(1));
    list.emplace_back("a piece that there is not", done(0, 21, 1));
    list.emplace_back("no error's code", done(0, 3, 7));
    list.emplace_back("a code without a failure", done(0, JobShare::none, 2));
    list.emplace_back("nobody asks for more", words({number_of(MessageType::ask), 0}));
    list.emplace_back("more than there is", words({number_of(MessageType::progress), 0, std::uint64_t{1} << 40}));
    list.emplace_back("what rank 0 says", words({number_of(MessageType::quit), 0}));
    list.emplace_back("cut short", words({number_of(MessageType::done), 0, 0}));
    return list;
  }();
  for (const auto& [what, message] : wrong) {
    std::string table;
    std::vector<RankMessage> messages;
    messages.push_back(from_rank(2, message));
    EXPECT_EQ(lead(std::move(messages), table), std::vector<int>{2}) << what;
  }
}

// The second would end the job while rank 2 is at work on it.
TEST_F(RankMessages, ARankIsDoneOnce) {
  std::string table;
  std::vector<RankMessage> messages;
  messages.push_back(from_rank(1, done(0)));
  EXPECT_EQ(lead(std::move(messages), table), std::vector<int>{1});
}

}  // namespace
}  // namespace phalanx
