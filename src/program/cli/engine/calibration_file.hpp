// This keeps what `phalanx bench --calibrate` measured on this machine for every later run, in a JSON file of the user's
// cache folder.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace phalanx {

/// Says up to how many last blocks of a message one cipher on one engine crypts one by one.
struct Crossover {
  std::string engine;  ///< "cpu:avx2"
  std::string cipher;  ///< "des-ede3"
  std::size_t serial_blocks = 0;
};

struct Calibration {
  std::vector<Crossover> crossovers{};
  bool has_gpu_crossovers = false;  ///< an earlier build measured them too; they are not used
};

/// Says what became of the file, and holds the calibration if it could be used.
struct FoundCalibration {
  std::optional<Calibration> calibration;
  std::string note;  ///< why there is none: no file, malformed, another processor or version; empty if there is one
};

/// Returns $XDG_CACHE_HOME/phalanx/calibration.json, or without an absolute XDG_CACHE_HOME
/// $HOME/.cache/phalanx/calibration.json. Returns "" if neither is an absolute path.
[[nodiscard]] std::string calibration_path();

/// Reads the file of calibration_path(). It never throws for what is in the file: what does not fit is a note.
[[nodiscard]] FoundCalibration read_calibration();

/// Reads the file as read_calibration does, and sets its crossovers for this process. Entries of engines that cannot run
/// here are left out.
FoundCalibration use_calibration();

/// Makes the folders of that file, and returns its path. Throws Error: usage where anything but a regular file has the name,
/// or a link is below the folder that the environment names, else runtime.
std::string prepare_calibration_file();

/// Prepares the file as prepare_calibration_file does, and replaces it atomically. Returns its path.
std::string write_calibration(const Calibration& calibration);

}  // namespace phalanx
