// This is `phalanx engines`, which lists the engines that can run here, and tests them.
#pragma once

#include "program/cli/console/command_line_library.hpp"
#include "program/cli/console/command_run.hpp"

namespace phalanx {

/// Adds the command; parsing it sets `run`, which returns 1 if an engine that can run here fails its self-test.
void add_engines_command(CLI::App& program, CommandRun& run);

}  // namespace phalanx
