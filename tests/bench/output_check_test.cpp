// That a wrong output is found, whatever is wrong with it: the checker stands between every figure and its reader.
#include "bench/measuring/output_check.hpp"

#include <gtest/gtest.h>

#include "engine/library/names/cipher_name.hpp"

namespace phalanx::bench {
namespace {

Job job_of(const char* name, Direction direction, std::size_t message_bytes, std::size_t num_messages = 1) {
  return {.cipher = parse_cipher_name(name),
          .direction = direction,
          .message_bytes = message_bytes,
          .num_messages = num_messages};
}

// A workload, what it should give, and an honest run of it.
struct Checked {
  explicit Checked(const Job& job) : workload(job) {
    seal_input_if_needed(workload);
    expected = expect_output(workload, workload.task());
    honest = make_engine_contender("cpu:scalar", 1)->prepare(workload.task());
  }

  void expect_caught(const Run& run, const char* word) {
    try {
      check_output(workload, expected, run, "the culprit");
      FAIL() << "not caught";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::runtime);
      EXPECT_NE(std::string(error.what()).find("the culprit: wrong " + std::string(word)), std::string::npos)
          << error.what();
    }
  }

  Workload workload;
  Expected expected;
  Run honest;
};

TEST(OutputCheck, PassesWhatIsRight) {
  for (const char* name : {"des-ede3-cbc", "aes-256-ctr", "serpent-128-xts", "twofish-192-ecb", "aes-192-gcm"}) {
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      Checked checked(job_of(name, direction, 208, 3));
      EXPECT_NO_THROW(check_output(checked.workload, checked.expected, checked.honest, name)) << name;
      EXPECT_EQ(checked.expected.from, "reference");
    }
  }
}

TEST(OutputCheck, CatchesOneWrongBitAnywhere) {
  Checked checked(job_of("des-ede3-ctr", Direction::encrypt, 1024, 2));
  for (const std::size_t place : {0, 511, 1024, 2047}) {
    const auto flip = [&checked, place] {
      checked.honest();
      MutableBytes out = checked.workload.task().messages[place / 1024].out;
      out[place % 1024] ^= 0x10;
    };
    checked.expect_caught(flip, "output");
  }
}

TEST(OutputCheck, CatchesARunThatWritesNothing) {
  Checked checked(job_of("aes-128-cbc", Direction::decrypt, 256));
  checked.honest();  // the right bytes are there, until the check overwrites them
  checked.expect_caught([] {}, "output");
}

TEST(OutputCheck, CatchesAMessageThatIsLeftOut) {
  Checked checked(job_of("serpent-256-cbc", Direction::encrypt, 64, 5));
  Task shorter = checked.workload.task();
  shorter.messages.pop_back();
  checked.expect_caught(make_engine_contender("cpu:scalar", 1)->prepare(shorter), "output");
}

TEST(OutputCheck, CatchesAWrongTag) {
  Checked checked(job_of("aes-256-gcm", Direction::encrypt, 64));
  const auto flip = [&checked] {
    checked.honest();
    checked.workload.task().messages[0].tag[15] ^= 1;
  };
  checked.expect_caught(flip, "tags");
}

TEST(OutputCheck, PutsTheInputBackBetweenRunsInPlace) {
  Job job = job_of("twofish-256-cbc", Direction::decrypt, 320);
  job.in_place = true;
  Checked checked(job);
  for (int i = 0; i < 3; ++i) EXPECT_NO_THROW(check_output(checked.workload, checked.expected, checked.honest, "in place"));
}

TEST(OutputCheck, TakesALibraryForWhatIsLong) {
  Checked checked(job_of("aes-256-cbc", Direction::decrypt, std::size_t{1} << 20));
  EXPECT_EQ(checked.expected.from, "openssl");
  EXPECT_NO_THROW(check_output(checked.workload, checked.expected, checked.honest, "long"));
}

}  // namespace
}  // namespace phalanx::bench
