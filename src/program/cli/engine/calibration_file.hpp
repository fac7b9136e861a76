// What `phalanx bench --calibrate` measured on this machine, kept for every later run: a JSON file in the user's cache
// folder.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace phalanx {

/// Up to how many blocks of a short message one cipher on one engine crypts one by one.
struct Crossover {
  std::string engine;  ///< "cpu:avx2"
  std::string cipher;  ///< "des-ede3"
  std::size_t serial_blocks = 0;
};

struct Calibration {
  std::vector<Crossover> crossovers{};
  bool has_gpu_crossovers = false;  ///< of an earlier build, which measured them too; they are not used
};

/// What became of the file, and the calibration if it could be used.
struct FoundCalibration {
  std::optional<Calibration> calibration;
  std::string note;  ///< why there is none: no file, malformed, another processor or version; empty if there is one
};

/// $XDG_CACHE_HOME/phalanx/calibration.json; without an absolute XDG_CACHE_HOME, $HOME/.cache/phalanx/calibration.json;
/// empty if neither is set.
[[nodiscard]] std::string calibration_path();

/// Reads the file of calibration_path(). Never throws for what is in it: what does not fit is a note.
[[nodiscard]] FoundCalibration read_calibration();

/// The same, and sets its crossovers for this process. Entries of engines that cannot run here are left out.
FoundCalibration use_calibration();

/// Makes the folders of that file, and returns its path. Throws Error: usage where anything but a regular file has the name,
/// or a link is below the folder that the environment names, else runtime.
std::string prepare_calibration_file();

/// The same, and replaces the file, atomically.
std::string write_calibration(const Calibration& calibration);

}  // namespace phalanx
