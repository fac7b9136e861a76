// Names of containers' ciphers as users type them: an unknown one draws the nearest that there is.
#pragma once

#include <string>
#include <vector>

#include "engine/chunked/suite.hpp"

namespace phalanx {

/// As find_suite.
[[nodiscard]] const Suite& read_suite_name(const std::string& name);

/// Of all suites.
[[nodiscard]] std::vector<std::string> suite_names();

}  // namespace phalanx
