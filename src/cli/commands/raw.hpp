// phalanx raw encrypt|decrypt: the bare cipher and mode, without a header.
#pragma once

#include <functional>

#include "cli/console/command_line_library.hpp"

namespace phalanx {

/// Adds the command; parsing it sets `run`, which does the work and throws Error.
void add_raw_command(CLI::App& program, std::function<int()>& run);

}  // namespace phalanx
