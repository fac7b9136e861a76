// This reads names of containers' ciphers as users type them. The error for an unknown one suggests the nearest that there
// is.
#pragma once

#include <string>
#include <vector>

#include "engine/chunked/suite.hpp"

namespace phalanx {

/// Finds a suite as find_suite does.
[[nodiscard]] const Suite& read_suite_name(const std::string& name);

/// Returns the names of all suites.
[[nodiscard]] std::vector<std::string> suite_names();

}  // namespace phalanx
