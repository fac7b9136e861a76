// The plans of `phalanx-bench`, and its lists: what is taken can be measured, and is not endless.
#include <algorithm>

#include "bench/measuring/selection.hpp"
#include "engine/engines/registry.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

void check(const bench::Selection& selection) {
  require(!selection.jobs.empty() && !selection.engines.empty() && !selection.threads.empty(), "there is something to do");
  for (const bench::Job& job : selection.jobs) {
    require(is_mode_of(*job.cipher.cipher, job.cipher.mode), "the mode is one of the cipher's");
    require(job.message_bytes > 0 && job.message_bytes % 16 == 0, "messages are whole blocks");
    require(job.num_messages > 0 && job.total_bytes() <= std::size_t{1} << 33, "and fit into memory");
  }
  require(std::ranges::all_of(selection.threads, [](int number) { return number > 0 && number <= 4096; }), "threads");
  for (const std::string& engine : selection.engines) {
    require(find_engine(engine).info().name == engine, "the engine is there");
  }
}

void check_plan(const std::string& text) {
  std::vector<bench::Selection> plan;
  if (error_of([&] { plan = bench::parse_plan(text, "the plan"); })) return;
  require(!plan.empty(), "a plan has something to measure");
  std::size_t num_jobs = 0;
  for (const bench::Selection& selection : plan) {
    check(selection);
    num_jobs += selection.jobs.size();
  }
  require(num_jobs <= bench::most_measurements, "a plan ends some day");
}

void check_lists(FuzzedInput& input) {
  const auto list = [&input] { return input.text(input.below(24)); };
  bench::SelectionText text;
  for (std::string* member :
       {&text.ciphers, &text.modes, &text.sizes, &text.engines, &text.threads, &text.directions, &text.batch}) {
    *member = list();
  }
  if (input.flag()) text.peers = list();
  text.in_place = input.flag();
  bench::Selection selection;
  if (!error_of([&] { selection = bench::parse_selection(text); })) check(selection);
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx::fuzz;
  FuzzedInput input(data, size);
  if (size != 0 && (data[0] == '[' || data[0] == '{')) {
    check_plan(input.text(size));
  } else {
    check_lists(input);
  }
  return 0;
}
