// Runs the real `openssl` program on temporary files; the passphrase goes through the environment, never the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace phalanx {

using FileBytes = std::vector<std::uint8_t>;

/// What `openssl ARGUMENTS` prints, its input being `input`. Throws std::runtime_error if it does not exit with 0. The
/// passphrase, if any, is in the environment variable that passphrase_argument names.
FileBytes run_openssl(const std::string& arguments, const FileBytes& input, const std::string& passphrase = "");

inline constexpr const char* passphrase_argument = " -pass env:PHALANX_TEST_PASSPHRASE ";

}  // namespace phalanx
