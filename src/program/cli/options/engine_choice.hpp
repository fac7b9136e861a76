// This chooses the engine that a command runs on, and says for -v why.
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

/// Returns the engine that the options or the environment ask for. If that is auto, it is the CPU: from file to file no GPU
/// was faster on any machine that was measured (docs/notes/gpus.md).
[[nodiscard]] ChosenEngine choose_engine(const RequestedEngine& options, const FoundCalibration& found);

/// Says for -v which engine runs the cipher, and what decided it.
[[nodiscard]] std::string describe_engine(const std::string& cipher, const std::string& engine, const ChosenEngine& chosen);

/// Says for -v up to how many last blocks the engine crypts one by one, and where that number comes from. Returns "" where
/// the engine has no crossover.
[[nodiscard]] std::string describe_crossover(std::string_view engine, const CipherSpec& cipher,
                                             const FoundCalibration& found);

}  // namespace phalanx
