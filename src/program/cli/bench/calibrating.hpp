// This measures where groups of lanes overtake single blocks.
#pragma once

#include <functional>

#include "program/cli/engine/calibration_file.hpp"

namespace phalanx {

/// Is told each crossover as it is measured, and what it was before.
using CalibrationReport = std::function<void(const Crossover& measured, std::size_t before)>;

/// Measures the crossover of each kernel on each engine of the CPU that can run here, by the cipher with the longest key.
/// Leaves the crossovers of this process as they were.
[[nodiscard]] Calibration calibrate(const CalibrationReport& report);

}  // namespace phalanx
