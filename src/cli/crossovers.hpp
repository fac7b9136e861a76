// The crossovers that `phalanx bench --calibrate` measured, in use; and what they make of `--engine auto`.
#pragma once

#include <string>

#include "cli/general_options.hpp"
#include "io/calibration_file.hpp"
#include "io/engine_choice.hpp"
#include "io/raw_cipher.hpp"
#include "phalanx/phalanx.hpp"

namespace phalanx {

/// Reads this machine's calibration, if there is one that fits, and sets its crossovers for this process. Entries of engines that
/// cannot run here are left out.
FoundCalibration use_calibration();

/// Where to run, and for -v: why.
struct ChosenEngine {
  Options options;
  std::string reason;
};

/// The engine that was asked for by the options or the environment or, if that is auto, the one for the message, which is the CPU where
/// there is no GPU.
[[nodiscard]] ChosenEngine choose_engine(const EngineOptions& options, MessageAhead message, const FoundCalibration& found);

/// For -v: the engine that runs the cipher, and what decided it.
[[nodiscard]] std::string describe_engine(const RawCipher& cipher, const ChosenEngine& chosen);

/// For -v: from how many blocks on the cipher's engine crypts them in groups, and where that number comes from. Empty where the
/// engine has no crossover.
[[nodiscard]] std::string describe_crossover(const RawCipher& cipher, const FoundCalibration& found);

}  // namespace phalanx
