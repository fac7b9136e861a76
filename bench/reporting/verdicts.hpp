// What the goals of a result asked, and what was measured. Each goal is a ratio: no figure of one machine is asked of another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/measuring/results.hpp"

namespace phalanx::bench {

/// The share of a kept run's rate that a figure has at least. The rest is left to the noise of a machine with neighbours.
inline constexpr double least_share_of_kept = 0.95;

struct Verdict {
  std::string job;
  std::string engine;
  std::string goal;
  std::string measured{};
  /// By what share of the goal it is exceeded; below 0 it is missed. Empty: a library, a size or the engine was not measured.
  std::optional<double> margin{};

  [[nodiscard]] bool judged() const { return margin.has_value(); }
  [[nodiscard]] bool met() const { return margin && *margin >= 0; }
};

/// Returns a verdict for each goal of each measurement with a target. Then comes one for each figure of an engine that the newest of
/// `kept` has too. `kept` are earlier results, the newest last; those of another processor or compiler are passed over.
[[nodiscard]] std::vector<Verdict> verdicts_of(const Results& results, const std::vector<Results>& kept = {});

/// "met by 12 %", "MISSED by 43 %", "not judged"
[[nodiscard]] std::string describe_margin(const Verdict& verdict);

/// "3 of 5 goals met, 2 missed; 1 more was not judged: ..."
[[nodiscard]] std::string count_verdicts(const std::vector<Verdict>& verdicts);

/// As text for a terminal, the missed ones last, beside the count; empty if there are none. What was not judged is only counted.
[[nodiscard]] std::string verdict_table(const std::vector<Verdict>& verdicts);

}  // namespace phalanx::bench
