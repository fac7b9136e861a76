// This is `phalanx recipients list`, which shows who can open a container.
#pragma once

#include "program/cli/console/command_line_library.hpp"
#include "program/cli/console/command_run.hpp"

namespace phalanx {

/// Adds the command below `parent`; parsing it sets `run`, which does the work and throws Error.
void add_recipients_list(CLI::App& parent, CommandRun& run);

}  // namespace phalanx
