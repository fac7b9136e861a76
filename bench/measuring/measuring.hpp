// From a job to its figures.
#pragma once

#include "bench/measuring/results.hpp"
#include "bench/measuring/selection.hpp"

namespace phalanx::bench {

/// One job of the selection on its engines, threads and peers, side by side for about `seconds`. Each contender's output is
/// compared before its first sample and again after its last; large messages are measured beside memory itself. Throws Error
/// (runtime) if one is wrong.
[[nodiscard]] Measurement measure(const Job& job, const Selection& selection, const std::string& cpu, double seconds);

}  // namespace phalanx::bench
