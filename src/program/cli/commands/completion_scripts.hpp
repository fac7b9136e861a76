// These scripts tell shells of a program's commands and options, so that they complete them.
#pragma once

#include <string>
#include <vector>

namespace phalanx {

/// Says what follows an option, or stands behind a command.
struct CompletedValue {
  bool is_file = false;            ///< or a folder
  std::vector<std::string> words;  ///< the choices; neither: something that no shell knows
};

struct CompletedOption {
  std::vector<std::string> names;  ///< with their dashes
  std::string description;
  bool takes_value = false;
  CompletedValue value;
};

struct CompletedCommand {
  std::string path;  ///< behind the program's name: "", "raw encrypt"
  std::string name;
  std::string description;
  std::vector<CompletedOption> options;
  CompletedValue argument;  ///< its words are the command's commands, if it has any
};

/// Return the whole script for a shell, from the commands of the program `phalanx`.
[[nodiscard]] std::string bash_script(const std::vector<CompletedCommand>& commands);
[[nodiscard]] std::string zsh_script(const std::vector<CompletedCommand>& commands);
[[nodiscard]] std::string fish_script(const std::vector<CompletedCommand>& commands);

}  // namespace phalanx
