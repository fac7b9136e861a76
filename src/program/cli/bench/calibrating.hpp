// Where groups of lanes overtake single blocks, measured.
#pragma once

#include <functional>

#include "program/cli/engine/calibration_file.hpp"

namespace phalanx {

/// Who is told each crossover as it is measured, and what it was before.
using CalibrationReport = std::function<void(const Crossover& measured, std::size_t before)>;

/// Measures the crossover of every cipher that has one on every engine of the CPU that can run here. Leaves the crossovers
/// of this process as they were.
[[nodiscard]] Calibration calibrate(const CalibrationReport& report);

}  // namespace phalanx
