// The text of `phalanx --version` is for people and for reports of faults.
#pragma once

#include <string>

namespace phalanx {

/// Returns the version, and a line each for the commit, the engines that can run here, libcrypto and CUDA.
std::string version_text();

}  // namespace phalanx
