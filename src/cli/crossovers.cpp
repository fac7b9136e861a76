#include "cli/crossovers.hpp"

#include <fmt/format.h>

#include "engines/cpu/threads.hpp"
#include "engines/registry.hpp"

namespace phalanx {
namespace {

/// Empty: the engine cuda can run here. Starts the driver.
std::string reason_against_cuda() {
  for (const EngineInfo& engine : list_engines()) {
    if (engine.name == "cuda") return engine.usable ? "" : engine.reason;
  }
  return "no such engine";
}

}  // namespace

FoundCalibration use_calibration() {
  FoundCalibration found = read_calibration();
  if (!found.calibration) return found;
  for (const EngineInfo& engine : list_cpu_engines()) {
    if (!engine.usable) continue;
    for (const Crossover& crossover : found.calibration->crossovers) {
      if (crossover.engine != engine.name) continue;
      set_serial_blocks(engine.name, *find_cipher(crossover.cipher), crossover.serial_blocks);
    }
  }
  return found;
}

ChosenEngine choose_engine(const EngineOptions& options, MessageAhead message, const FoundCalibration& found) {
  ChosenEngine chosen{options.library_options(), {}};
  if (chosen.options.engine != "auto") {
    const bool from_option = !options.engine.empty();
    chosen.reason = fmt::format("{}{}", from_option ? "--engine " : "PHALANX_ENGINE=", chosen.options.engine);
    return chosen;
  }
  message.num_threads = thread_count(options.num_threads);
  EngineChoice choice = choose_engine(message, found);
  const std::string against = choice.engine == "cuda" ? reason_against_cuda() : "";
  if (!against.empty()) choice = {"cpu", against};
  return {{choice.engine, options.num_threads}, "auto: " + choice.reason};
}

std::string describe_engine(const RawCipher& cipher, const ChosenEngine& chosen) {
  return fmt::format("{} runs on {} ({})", cipher.facts().name, cipher.engine(), chosen.reason);
}

std::string describe_crossover(const RawCipher& cipher, const FoundCalibration& found) {
  const std::size_t num_blocks = serial_blocks(cipher.engine(), *parse_cipher_name(cipher.facts().name).cipher);
  if (num_blocks == 0) return "";
  return fmt::format("the last blocks of a message go one by one if they are at most {}, else together ({})", num_blocks,
                     found.calibration ? "measured by phalanx bench --calibrate" : found.note);
}

}  // namespace phalanx
