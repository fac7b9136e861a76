// What the targets of a result asked, and what was reached.
#pragma once

#include <string>
#include <vector>

#include "bench/measuring/results.hpp"

namespace phalanx::bench {

struct Verdict {
  std::string job;
  std::string engine;
  std::string asked;
  std::string reached;
  bool met = false;
};

/// Of every measurement with a target whose engine took part, and of every part of it that can be told: a library or a size
/// that was not measured gives no verdict.
[[nodiscard]] std::vector<Verdict> verdicts_of(const Results& results);

/// As text for a terminal; empty if there are none.
[[nodiscard]] std::string verdict_table(const std::vector<Verdict>& verdicts);

}  // namespace phalanx::bench
