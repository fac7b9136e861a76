// The calibration file of any content: it is used where it is whole and this machine's, else ignored with a reason.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "ciphers/cipher_spec.hpp"
#include "cli/engine/calibration_file.hpp"
#include "cli/engine/processor_name.hpp"
#include "files/file_descriptor.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

// A cache folder of this process, removed at its end.
class CacheFolder {
 public:
  CacheFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "phalanx-fuzz-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr, "a folder for the file");
    path_ = name;
    ::setenv("XDG_CACHE_HOME", path_.c_str(), 1);
    std::filesystem::create_directory(path_ / "phalanx");
    file_ = open_file(calibration_path(), O_RDWR | O_CREAT);
  }
  ~CacheFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

  void put(const std::string& text) const {
    require(::ftruncate(file_.get(), 0) == 0, "the file is emptied");
    write_at(file_.get(), {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, 0, "the file");
  }

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
};

// The corpus belongs to no machine and no version: CPU and VERSION stand for ours.
void replace_all(std::string& text, const std::string& word, const std::string& by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size())) {
    text.replace(at, word.size(), by);
  }
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  static const CacheFolder folder;
  FuzzedInput input(data, size);
  std::string text = input.text(size);
  replace_all(text, "CPU", processor_name());
  replace_all(text, "VERSION", version());
  folder.put(text);
  const FoundCalibration found = read_calibration();
  require(found.calibration.has_value() == found.note.empty(), "a calibration, or why there is none");
  require(found.note.find('\n') == std::string::npos, "in one line");
  if (!found.calibration) return 0;
  for (const Crossover& crossover : found.calibration->crossovers) {
    require(find_cipher(crossover.cipher) != nullptr && crossover.serial_blocks <= 4096, "a crossover is bounded");
  }
  return 0;
}
