// A folder for the files of a fuzz target, in memory where the system has such a place: what is made durable there takes no
// time.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {

class ScratchFolder {
 public:
  ScratchFolder() {
    const bool in_memory = ::access("/dev/shm", W_OK) == 0;
    const std::filesystem::path parent = in_memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string name = (parent / "phalanx-fuzz-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr, "a folder for the files");
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline Buffer read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void write_file(const std::filesystem::path& path, Bytes content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
  require(file.flush().good(), "the file is written");
}

/// Changes a file in some places, cuts it or puts something else in its place.
inline Buffer changed(Buffer content, FuzzedInput& input) {
  for (std::size_t num_changes = input.below(4); num_changes > 0; --num_changes) {
    const std::size_t at = input.below(content.size() + 1);
    const Bytes bytes = input.take(input.below(24));
    switch (input.below(4)) {
      case 0:
        if (at < content.size()) content[at] ^= static_cast<std::uint8_t>(1U << input.below(8));
        break;
      case 1:
        std::copy_n(bytes.begin(), std::min(bytes.size(), content.size() - at),
                    content.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 2:
        content.resize(at);
        break;
      default:
        content.insert(content.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin(), bytes.end());
        break;
    }
  }
  return content;
}

}  // namespace phalanx::fuzz
