// These are `phalanx help` and `phalanx version`, which do as --help and --version, for those who look for a command.
#pragma once

#include "program/cli/console/command_line_library.hpp"
#include "program/cli/console/command_run.hpp"

namespace phalanx {

/// Adds the commands; parsing one of them sets `run`.
void add_help_command(CLI::App& program, CommandRun& run);
void add_version_command(CLI::App& program, CommandRun& run);

}  // namespace phalanx
