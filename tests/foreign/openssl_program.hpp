// Runs the real `openssl` program on temporary files; the passphrase goes through the environment, never the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace phalanx {

using FileBytes = std::vector<std::uint8_t>;

/// A folder that is removed with what is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// What `openssl ARGUMENTS` prints, its input being `input`. Throws std::runtime_error if it does not exit with 0. The
/// passphrase, if any, is in the environment variable that passphrase_argument names.
FileBytes run_openssl(const std::string& arguments, const FileBytes& input, const std::string& passphrase = "");

inline constexpr const char* passphrase_argument = " -pass env:PHALANX_TEST_PASSPHRASE ";

}  // namespace phalanx
