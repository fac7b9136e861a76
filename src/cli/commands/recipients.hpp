// phalanx recipients: who can open a container. Its data key stays.
#pragma once

#include <functional>

#include "cli/console/command_line_library.hpp"

namespace phalanx {

/// Adds the command; parsing it sets `run`, which does the work and throws Error.
void add_recipients_command(CLI::App& program, std::function<int()>& run);

}  // namespace phalanx
