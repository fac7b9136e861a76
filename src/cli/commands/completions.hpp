// phalanx completions: scripts that make shells complete our commands and options. It is not in the help: packages run it.
#pragma once

#include <functional>

#include "cli/console/command_line_library.hpp"

namespace phalanx {

/// Adds the command, behind all others; parsing it sets `run`.
void add_completions_command(CLI::App& program, std::function<int()>& run);

}  // namespace phalanx
