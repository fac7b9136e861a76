// This is `phalanx completions`, which prints scripts that make shells complete our commands and options. It is not in the
// help, since packages run it.
#pragma once

#include "program/cli/console/command_line_library.hpp"
#include "program/cli/console/command_run.hpp"

namespace phalanx {

/// Adds the command, behind all others; parsing it sets `run`.
void add_completions_command(CLI::App& program, CommandRun& run);

}  // namespace phalanx
