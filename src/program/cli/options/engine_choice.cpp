#include "program/cli/options/engine_choice.hpp"

#include <fmt/format.h>

#include "engine/engines/registry.hpp"
#include "files/foreign/message_decryptor.hpp"

namespace phalanx {

ChosenEngine choose_engine(const RequestedEngine& options, const FoundCalibration& found) {
  ChosenEngine chosen{options.library_options(), {}};
  if (chosen.options.engine != "auto") {
    const bool from_option = !options.engine.empty();
    chosen.reason = fmt::format("{}{}", from_option ? "--engine " : "PHALANX_ENGINE=", chosen.options.engine);
    return chosen;
  }
  chosen.options.engine = "cpu";
  chosen.reason = "auto: the CPU; --engine cuda takes GPUs";
  if (found.calibration && found.calibration->has_gpu_crossovers) {
    chosen.reason += fmt::format("; the crossovers to GPUs in {} are ignored", calibration_path());
  }
  return chosen;
}

std::string describe_engine(const std::string& cipher, const std::string& engine, const ChosenEngine& chosen) {
  if (engine == libcrypto_engine) return fmt::format("{} is decrypted by libcrypto, on one thread", cipher);
  return fmt::format("{} runs on {} ({})", cipher, engine, chosen.reason);
}

std::string describe_crossover(std::string_view engine, const CipherSpec& cipher, const FoundCalibration& found) {
  const std::size_t num_blocks = serial_blocks(engine, cipher);
  if (num_blocks == 0) return "";
  return fmt::format("the last blocks of a message go one by one if they are at most {}, else together ({})", num_blocks,
                     found.calibration ? "measured by phalanx bench --calibrate" : found.note);
}

}  // namespace phalanx
