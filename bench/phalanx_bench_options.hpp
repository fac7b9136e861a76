// The command line of phalanx-bench.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/measuring/selection.hpp"

namespace phalanx::bench {

struct ProgramOptions {
  SelectionText selection;
  std::optional<std::string> plan;
  std::optional<std::string> results;  ///< a file to show instead of measuring
  std::vector<std::string> kept;       ///< earlier results to judge beside, the newest last
  std::optional<std::string> json;
  std::optional<std::string> report;
  std::optional<std::string> pictures;
  std::string commit;
  double seconds = 0.25;
  bool force = false;
  bool verbose = false;
};

/// Fills the options. Returns an exit code if there is nothing to run: --help, --version, or a wrong argument, of which it
/// has printed one line.
[[nodiscard]] std::optional<int> parse_program_options(int argc, char** argv, ProgramOptions& options);

}  // namespace phalanx::bench
