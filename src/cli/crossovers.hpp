// The crossovers that `phalanx bench --calibrate` measured, in use.
#pragma once

#include <string>

#include "io/calibration_file.hpp"
#include "phalanx/phalanx.hpp"

namespace phalanx {

/// Reads this machine's calibration, if there is one that fits, and sets its crossovers for this process. Entries of engines that
/// cannot run here are left out.
FoundCalibration use_calibration();

/// For -v: from how many blocks on the cipher's engine crypts them in groups, and where that number comes from. Empty where the
/// engine has no crossover.
[[nodiscard]] std::string describe_crossover(const Cipher& cipher, const FoundCalibration& found);

}  // namespace phalanx
