// Runs one job of one contender so many times, while something else counts instructions. The difference of two numbers of runs is what the
// runs between them took: what goes before cancels out, and so does the check of what comes out.
//
//   counted_run CONTENDER CIPHER encrypt|decrypt BYTES RUNS       CONTENDER: cpu:neon, openssl, libgcrypt, ...
#include <cstdio>
#include <cstdlib>
#include <phalanx/error.hpp>
#include <string>
#include <string_view>

#include "bench/measuring/output_check.hpp"
#include "engine/library/names/cipher_name.hpp"

namespace phalanx::bench {
namespace {

void run_job(const Contender& contender, const Job& job, int num_runs) {
  Workload workload(job);
  seal_input_if_needed(workload);
  const Run run = contender.prepare(workload.task());
  if (!run) throw Error(ErrorCode::usage, contender.name() + " does not have " + full_name(job.cipher));
  check_output(workload, expect_output(workload, workload.task()), run, contender.name());
  for (int i = 0; i < num_runs; ++i) run();
}

void run_contender(const std::string& name, const Job& job, int num_runs) {
  for (const auto& peer : all_peers()) {
    if (peer->name() == name) return run_job(*peer, job, num_runs);
  }
  run_job(*make_engine_contender(name, 1), job, num_runs);
}

}  // namespace
}  // namespace phalanx::bench

int main(int argc, char** argv) {
  using namespace phalanx;
  if (argc != 6) {
    (void)std::fputs("usage: counted_run CONTENDER CIPHER encrypt|decrypt BYTES RUNS\n", stderr);
    return 2;
  }
  try {
    const bench::Job job{.cipher = parse_cipher_name(argv[2]),
                         .direction = std::string_view(argv[3]) == "decrypt" ? Direction::decrypt : Direction::encrypt,
                         .message_bytes = std::strtoul(argv[4], nullptr, 10)};
    bench::run_contender(argv[1], job, std::atoi(argv[5]));
  } catch (const std::exception& failure) {
    (void)std::fprintf(stderr, "counted_run: %s\n", failure.what());
    return 1;
  }
}
