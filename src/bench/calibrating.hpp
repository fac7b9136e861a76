// Where groups of lanes overtake single blocks, measured.
#pragma once

#include <functional>

#include "io/calibration_file.hpp"

namespace phalanx::bench {

/// What decides whether a message goes to the CPU or to GPUs, in bytes a second of the program's chunks, with all threads.
struct GpuComparison {
  GpuCrossover crossover;
  double start_seconds = 0;  ///< the driver and the first message
  double cpu_rate = 0;
  double gpu_rate = 0;
};

/// Who is told each figure as it is measured.
struct CalibrationReport {
  std::function<void(const Crossover& measured, std::size_t before)> crossover;
  std::function<void(const GpuComparison&)> gpu;
};

/// Measures the crossover of every cipher that has one on every engine that can run here, and between the CPU and GPUs, if there are
/// any. Leaves the crossovers of this process as they were. How long GPUs take to start shows only if nothing started them yet.
[[nodiscard]] Calibration calibrate(const CalibrationReport& report);

}  // namespace phalanx::bench
