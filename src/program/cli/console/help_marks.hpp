// By these marks the definition of an option or a command tells the help about it.
#pragma once

#include <string>

#include "program/cli/console/command_line_library.hpp"

namespace phalanx {

/// Marks an option that --help shows. All others are rare, and --help-all alone shows them. Returns its argument.
CLI::Option* mark_common(CLI::Option* option);
/// Marks an option rare for a command that shares it with others, where it is common.
CLI::Option* mark_rare(CLI::Option* option);
[[nodiscard]] bool is_common(const CLI::Option& option);

/// Sets lines as a user types them. A command takes those of the one above it until it gets its own.
void set_examples(CLI::App& command, const std::string& lines);
[[nodiscard]] std::string examples_of(const CLI::App& command);

}  // namespace phalanx
