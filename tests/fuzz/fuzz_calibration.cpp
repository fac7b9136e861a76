// The calibration file of any content: it is used where it is whole and this machine's, else ignored with a reason.
#include <algorithm>

#include "engine/ciphers/cipher_spec.hpp"
#include "program/cli/engine/calibration_file.hpp"
#include "program/cli/engine/processor_name.hpp"
#include "tests/fuzz/driver/scratch_folder.hpp"

namespace phalanx::fuzz {
namespace {

// The corpus belongs to no machine and no version: CPU and VERSION stand for ours.
void replace_all(std::string& text, const std::string& word, const std::string& by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size())) {
    text.replace(at, word.size(), by);
  }
}

bool same_crossovers(const Calibration& one, const Calibration& other) {
  return std::ranges::equal(one.crossovers, other.crossovers, [](const Crossover& a, const Crossover& b) {
    return a.engine == b.engine && a.cipher == b.cipher && a.serial_blocks == b.serial_blocks;
  });
}

void check_written(const Calibration& calibration) {
  require(write_calibration(calibration) == calibration_path(), "it is written where it is read");
  const FoundCalibration found = use_calibration();
  require(found.calibration && same_crossovers(*found.calibration, calibration), "and read again as it was");
}

// In each of the places that the environment may name.
void check_places(const Calibration& calibration, const std::filesystem::path& folder) {
  check_written(calibration);
  const std::filesystem::path home = folder / "home";
  std::filesystem::remove_all(home);
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", home.c_str(), 1);
  check_written(calibration);
  ::unsetenv("HOME");
  require(calibration_path().empty(), "without a place there is none");
  const auto error = error_of([&] { static_cast<void>(write_calibration(calibration)); });
  require(error == ErrorCode::runtime, "and none is written");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  static const ScratchFolder folder;
  ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  std::filesystem::create_directory(folder.path() / "phalanx");
  FuzzedInput input(data, size);
  std::string text = input.text(size);
  replace_all(text, "CPU", processor_name());
  replace_all(text, "VERSION", version());
  write_file(calibration_path(), bytes_of(text));
  const FoundCalibration found = read_calibration();
  require(found.calibration.has_value() == found.note.empty(), "a calibration, or why there is none");
  require(found.note.find('\n') == std::string::npos, "in one line");
  if (!found.calibration) return 0;
  for (const Crossover& crossover : found.calibration->crossovers) {
    require(find_cipher(crossover.cipher) != nullptr && crossover.serial_blocks <= 4096, "a crossover is bounded");
  }
  check_places(*found.calibration, folder.path());
  return 0;
}
