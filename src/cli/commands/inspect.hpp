// phalanx inspect: what a file is, as far as it can be known without a key.
#pragma once

#include <functional>

#include "cli/console/command_line_library.hpp"

namespace phalanx {

/// Adds the command; parsing it sets `run`, which does the work and throws Error.
void add_inspect_command(CLI::App& program, std::function<int()>& run);

}  // namespace phalanx
