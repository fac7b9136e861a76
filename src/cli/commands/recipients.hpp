// phalanx recipients: who can open a container. Its data key stays.
#pragma once

#include "cli/console/command_line_library.hpp"
#include "cli/console/command_run.hpp"

namespace phalanx {

/// Adds the command; parsing it sets `run`, which does the work and throws Error.
void add_recipients_command(CLI::App& program, CommandRun& run);

}  // namespace phalanx
