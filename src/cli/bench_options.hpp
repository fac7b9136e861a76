// The options of phalanx bench.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "bench/selection.hpp"

namespace phalanx {

struct BenchOptions {
  bench::SelectionText selection;
  std::optional<std::string> plan;
  std::optional<std::string> results;  ///< a file to show instead of measuring
  std::optional<std::string> json;
  std::optional<std::string> report;
  std::optional<std::string> pictures;
  std::string commit;
  double seconds = 0.25;
  bool calibrate = false;
  bool force = false;
  bool verbose = false;
};

void add_bench_options(CLI::App& command, BenchOptions& options);

}  // namespace phalanx
