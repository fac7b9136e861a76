// Every library, and every engine, against the reference: each cipher and mode that it says it has, in both directions,
// alone and in batches, with one key and with a key each.
#include <gtest/gtest.h>

#include "bench/measuring/output_check.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "engine/modes/mode_facts.hpp"

namespace phalanx::bench {
namespace {

std::vector<Job> jobs_of(const CipherSpec& cipher, Mode mode) {
  std::vector<Job> jobs;
  for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
    for (const std::size_t message_bytes : {16, 240, 1024}) {
      for (const std::size_t num_messages : {1, 19}) {
        for (const bool key_each : {false, true}) {
          for (const bool in_place : {false, true}) {
            const bool opened_in_place = mode == Mode::gcm && direction == Direction::decrypt && in_place;
            if (opened_in_place || (mode == Mode::gcm && key_each)) continue;
            jobs.push_back({{&cipher, mode}, direction, message_bytes, num_messages, key_each, in_place});
            if (mode != Mode::gcm || direction == Direction::encrypt) continue;
            jobs.push_back(jobs.back());
            jobs.back().one_pass = true;
          }
        }
      }
    }
  }
  return jobs;
}

// How many jobs it has; each is checked.
std::size_t check_all_jobs(const Contender& contender) {
  std::size_t num_checked = 0;
  for (const CipherSpec& cipher : all_ciphers()) {
    for (std::size_t mode = 0; mode < num_modes; ++mode) {
      if (!is_mode_of(cipher, static_cast<Mode>(mode))) continue;
      for (const Job& job : jobs_of(cipher, static_cast<Mode>(mode))) {
        Workload workload(job);
        seal_input_if_needed(workload);
        const Run run = contender.prepare(workload.task());
        if (!run) continue;
        const Expected expected = expect_output(workload, workload.task());
        EXPECT_NO_THROW(check_output(workload, expected, run, contender.name())) << full_name(job.cipher);
        ++num_checked;
      }
    }
  }
  return num_checked;
}

TEST(Peers, AgreeWithTheReference) {
  ASSERT_FALSE(all_peers().empty());
  EXPECT_EQ(all_peers().front()->name(), "openssl");
  for (const auto& peer : all_peers()) {
    EXPECT_GT(check_all_jobs(*peer), 100U) << peer->name();
    EXPECT_FALSE(peer->version().empty()) << peer->name();
  }
}

TEST(Peers, EnginesAgreeWithTheReference) {
  for (const EngineInfo& engine : engines()) {
    if (!engine.usable || !engine.name.starts_with("cpu:")) continue;
    EXPECT_GT(check_all_jobs(*make_engine_contender(engine.name, 1)), 1000U) << engine.name;
  }
}

TEST(Peers, RefuseASealThatIsBroken) {
  Workload workload({.cipher = parse_cipher_name("aes-256-gcm"), .direction = Direction::decrypt, .message_bytes = 64});
  seal_input_if_needed(workload);
  workload.task().messages[0].tag[0] ^= 1;
  for (const auto& peer : all_peers()) EXPECT_ANY_THROW(peer->prepare(workload.task())()) << peer->name();
  EXPECT_ANY_THROW(make_engine_contender("cpu:scalar", 1)->prepare(workload.task())());
}

}  // namespace
}  // namespace phalanx::bench
