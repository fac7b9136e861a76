// What --help prints. CLI11's own form of it is another from release to release; this one is not.
#pragma once

#include <string>

#include "program/cli/console/command_line_library.hpp"

namespace phalanx {

/// The help of a command: what it does, how it is called, its arguments, options by groups, and the commands below it, each
/// with its description from column 30 on. `title` is the command with those above it, such as "phalanx raw encrypt".
[[nodiscard]] std::string help_text(const CLI::App& command, const std::string& title);

/// Has the program, and all commands that are added to it from now on, print that.
void set_help_text(CLI::App& program);

}  // namespace phalanx
