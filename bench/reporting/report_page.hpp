// The page of `phalanx-bench --report`.
#pragma once

#include <string>

#include "bench/measuring/results.hpp"
#include "bench/reporting/verdicts.hpp"

namespace phalanx::bench {

/// One HTML page with everything in it: style, plots as SVG, the verdicts, tables. No script, and nothing from elsewhere.
[[nodiscard]] std::string report_page(const Results& results, const std::vector<Verdict>& verdicts);

}  // namespace phalanx::bench
