// The commands that there are, and what to say of a word that is none of them.
#pragma once

#include <string>
#include <vector>

#include "program/cli/console/command_line_library.hpp"

namespace phalanx {

/// Those of the program, or of a command that has commands of its own, but for hidden ones.
[[nodiscard]] std::vector<std::string> command_names(const CLI::App& parent);

/// Throws Error (usage) if there is no such command.
[[nodiscard]] const CLI::App* find_command(const CLI::App& parent, const std::string& name);

/// A sentence for a word in the place of a command. It repeats the word only if that is nearly a command: it may be a
/// secret.
[[nodiscard]] std::string describe_unknown_command(const CLI::App& parent, const std::string& word);

/// "encrypt, decrypt or raw"
[[nodiscard]] std::string list_commands(const CLI::App& parent);

}  // namespace phalanx
