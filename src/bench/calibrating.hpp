// Where groups of lanes overtake single blocks, measured.
#pragma once

#include <functional>

#include "io/calibration_file.hpp"

namespace phalanx::bench {

/// Measures the crossover of every cipher that has one on every engine that can run here; `report` is told each. Leaves the
/// crossovers of this process as they were.
[[nodiscard]] Calibration calibrate(const std::function<void(const Crossover& measured, std::size_t before)>& report);

}  // namespace phalanx::bench
