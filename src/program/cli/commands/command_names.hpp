// This has the commands that there are, and what to say of a word that is none of them.
#pragma once

#include <string>
#include <vector>

#include "program/cli/console/command_line_library.hpp"

namespace phalanx {

/// Returns the commands of the program, or of a command that has commands of its own, without hidden ones.
[[nodiscard]] std::vector<std::string> command_names(const CLI::App& parent);

/// Returns the command of that name. Throws Error (usage) if there is none.
[[nodiscard]] const CLI::App* find_command(const CLI::App& parent, const std::string& name);

/// Returns a sentence for a word in the place of a command. It repeats the word only if that is nearly a command, since it
/// may be a secret.
[[nodiscard]] std::string describe_unknown_command(const CLI::App& parent, const std::string& word);

/// Returns words such as "encrypt, decrypt or raw".
[[nodiscard]] std::string list_commands(const CLI::App& parent);

}  // namespace phalanx
