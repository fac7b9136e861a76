#include "bench/measuring/machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "bench/measuring/contender.hpp"
#include "engine/threads/threads.hpp"
#include "program/cli/engine/processor_name.hpp"

namespace phalanx::bench {
Results describe_machine(const std::string& commit) {
  Results results;
  results.cpu = processor_name();
  results.num_cores = thread_count(0);
  for (const EngineInfo& engine : engines()) {
    if (engine.usable && engine.name.starts_with("cuda") && results.gpu.empty()) results.gpu = engine.description;
  }
  results.version = version();
  results.commit = commit;
  results.date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  results.compiler = PHALANX_COMPILER;
  results.flags = PHALANX_FLAGS;
  for (const auto& peer : all_peers()) results.peers.push_back({peer->name(), peer->version()});
  return results;
}

}  // namespace phalanx::bench
