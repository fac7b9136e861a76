// phalanx recipients: who can open a container. Its data key stays.
#pragma once

#include <string_view>

#include "program/cli/console/command_line_library.hpp"
#include "program/cli/console/command_run.hpp"

namespace phalanx {

/// Adds the command; parsing it sets `run`, which does the work and throws Error. With the action that is asked for
/// alone, where `action` is the name of one, else with all.
void add_recipients_command(CLI::App& program, CommandRun& run, std::string_view action);

}  // namespace phalanx
