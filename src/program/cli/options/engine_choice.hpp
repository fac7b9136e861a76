// Which engine a command runs on, and for -v: why.
#pragma once

#include <string>
#include <string_view>

#include "engine/ciphers/cipher_spec.hpp"
#include "files/foreign/raw_cipher.hpp"
#include "program/cli/engine/calibration_file.hpp"
#include "program/cli/options/general_options.hpp"

namespace phalanx {

struct ChosenEngine {
  RunOptions options;
  std::string reason;
};

/// The engine that was asked for by the options or the environment or, if that is auto, the CPU: from file to file no GPU
/// was faster on any machine that was measured (docs/notes/gpus.md).
[[nodiscard]] ChosenEngine choose_engine(const RequestedEngine& options, const FoundCalibration& found);

/// For -v: the engine that runs the cipher, and what decided it.
[[nodiscard]] std::string describe_engine(const std::string& cipher, const std::string& engine, const ChosenEngine& chosen);

/// For -v: from how many blocks on the engine crypts them in groups, and where that number comes from. Empty where it has no
/// crossover.
[[nodiscard]] std::string describe_crossover(std::string_view engine, const CipherSpec& cipher,
                                             const FoundCalibration& found);

}  // namespace phalanx
