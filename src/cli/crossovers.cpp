#include "cli/crossovers.hpp"

#include <fmt/format.h>

#include "ciphers/cipher_spec.hpp"
#include "engines/registry.hpp"

namespace phalanx {

FoundCalibration use_calibration() {
  FoundCalibration found = read_calibration();
  if (!found.calibration) return found;
  for (const EngineInfo& engine : list_engines()) {
    if (!engine.usable) continue;
    for (const Crossover& crossover : found.calibration->crossovers) {
      if (crossover.engine != engine.name) continue;
      set_serial_blocks(engine.name, *find_cipher(crossover.cipher), crossover.serial_blocks);
    }
  }
  return found;
}

std::string describe_crossover(const Cipher& cipher, const FoundCalibration& found) {
  const std::size_t num_blocks = serial_blocks(cipher.engine(), *parse_cipher_name(cipher.name()).cipher);
  if (num_blocks == 0) return "";
  return fmt::format("the last blocks of a message go one by one if they are at most {}, else together ({})", num_blocks,
                     found.calibration ? "measured by phalanx bench --calibrate" : found.note);
}

}  // namespace phalanx
