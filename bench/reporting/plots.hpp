// Which pictures a result makes.
#pragma once

#include <string>
#include <vector>

#include "bench/measuring/results.hpp"

namespace phalanx::bench {

struct Plot {
  std::string name;  ///< of its file: "rate_by_size"
  std::string title;
  std::string caption;  ///< what it shows, in a sentence
  std::string svg;      ///< without a style of its own
};

/// Those for which the result has measurements: bars against other libraries, rate by size, scaling over threads, distance
/// to the limit.
[[nodiscard]] std::vector<Plot> plots_of(const Results& results);

/// A plot as a file of its own.
[[nodiscard]] std::string svg_file(const Plot& plot);

}  // namespace phalanx::bench
