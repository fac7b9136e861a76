// This is `phalanx keygen`, which makes a new random key.
#pragma once

#include "program/cli/console/command_line_library.hpp"
#include "program/cli/console/command_run.hpp"

namespace phalanx {

/// Adds the command; parsing it sets `run`, which does the work and throws Error.
void add_keygen_command(CLI::App& program, CommandRun& run);

}  // namespace phalanx
