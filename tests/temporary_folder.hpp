// A folder for a test's files.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <phalanx/phalanx.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace phalanx::test {

using Buffer = std::vector<std::uint8_t>;

/// Removed with all that is in it when it goes.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "phalanx-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string path_of(const std::string& name) const { return path_ + '/' + name; }
  std::string write(const std::string& name, Bytes content) const {
    std::ofstream file(path_of(name), std::ios::binary);
    std::ranges::copy(content, std::ostreambuf_iterator<char>(file));
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path_of(name));
    return path_of(name);
  }
  /// In order.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) found.push_back(entry.path().filename().string());
    std::ranges::sort(found);
    return found;
  }

 private:
  std::string path_;
};

inline Buffer read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace phalanx::test
