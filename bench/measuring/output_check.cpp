#include "bench/measuring/output_check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace phalanx::bench {
namespace {

constexpr std::size_t most_reference_bytes = std::size_t{1} << 18;

// Who makes the expected output, and its run.
struct Oracle {
  std::string name;
  Run run;
};

Oracle choose_oracle(const Task& task, std::size_t total_bytes) {
  if (total_bytes <= most_reference_bytes) return {"reference", plain_reference().prepare(task)};
  for (const auto& peer : all_peers()) {
    if (Run run = peer->prepare(task)) return {peer->name(), std::move(run)};
  }
  const auto scalar = make_engine_contender("cpu:scalar", 0);
  return {scalar->name(), scalar->prepare(task)};
}

void compare(Bytes found, Bytes expected, const Expected& by, const Workload& workload, const std::string& who,
             const char* what) {
  const auto [at, other] = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
  if (at == found.end() && other == expected.end()) return;
  throw Error(
      ErrorCode::runtime,
      fmt::format("{}: wrong {} of {} ({}, {} message(s) of {} bytes): byte {} differs from that of {}; nothing is timed",
                  who, what, full_name(workload.job().cipher),
                  workload.job().direction == Direction::encrypt ? "encryption" : "decryption", workload.job().num_messages,
                  workload.job().message_bytes, at - found.begin(), by.from));
}

}  // namespace

void seal_input_if_needed(Workload& workload) {
  const Job& job = workload.job();
  if (job.cipher.mode != Mode::gcm || job.direction != Direction::decrypt) return;
  workload.seal_input([&job](const Task& sealing) { return choose_oracle(sealing, job.total_bytes()).run; });
}

Expected expect_output(Workload& workload, const Task& task) {
  const Oracle oracle = choose_oracle(task, workload.job().total_bytes());
  workload.reset();
  oracle.run();
  const Bytes out = workload.out();
  const Bytes tags = workload.tags();
  return {.out = {out.begin(), out.end()}, .tags = {tags.begin(), tags.end()}, .from = oracle.name};
}

void check_output(Workload& workload, const Expected& expected, const Run& run, const std::string& who) {
  workload.reset();
  run();
  compare(workload.out(), expected.out, expected, workload, who, "output");
  compare(workload.tags(), expected.tags, expected, workload, who, "tags");
}

}  // namespace phalanx::bench
