// This prints --help and --help-all. CLI11's own form of them changes from release to release, and this one does not.
#pragma once

#include <string>

#include "program/cli/console/command_line_library.hpp"

namespace phalanx {

enum class HelpDetail {
  common,  ///< --help: a screen, with the options that mark_common has marked
  all,     ///< --help-all
};

/// Returns the help of a command: what it does, how it is called, its examples, its arguments, options by groups, and the
/// commands below it. `title` is the command with those above it, such as "phalanx raw encrypt".
[[nodiscard]] std::string help_text(const CLI::App& command, const std::string& title, HelpDetail detail);

/// Gives both options to the program, and to all commands that are added to it from now on.
void set_help_text(CLI::App& program);

}  // namespace phalanx
