// This is `phalanx raw encrypt|decrypt`, which runs the bare cipher and mode, without a header.
#pragma once

#include <string_view>

#include "program/cli/console/command_line_library.hpp"
#include "program/cli/console/command_run.hpp"

namespace phalanx {

/// Adds the command; parsing it sets `run`, which does the work and throws Error. If `action` is the name of an action, the
/// command has that one alone, and else both.
void add_raw_command(CLI::App& program, CommandRun& run, std::string_view action);

}  // namespace phalanx
