// This is `phalanx bench`, which shows how fast this machine is on one screen.
#pragma once

#include "program/cli/console/command_line_library.hpp"
#include "program/cli/console/command_run.hpp"

namespace phalanx {

/// Adds the command; parsing it sets `run`. That returns 0, or throws Error: runtime where an engine is wrong.
void add_bench_command(CLI::App& program, CommandRun& run);

}  // namespace phalanx
