#include "program/cli/commands/command_names.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <phalanx/error.hpp>

#include "engine/text/suggestion.hpp"

namespace phalanx {
namespace {

constexpr std::size_t shortest_beginning = 3;  // as in "enc" and "dec"

}  // namespace

std::vector<std::string> command_names(const CLI::App& parent) {
  std::vector<std::string> names;
  for (const CLI::App* command : parent.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

const CLI::App* find_command(const CLI::App& parent, const std::string& name) {
  const std::vector<std::string> names = command_names(parent);
  if (std::ranges::find(names, name) != names.end()) return parent.get_subcommand(name);
  if (names.empty()) throw Error(ErrorCode::usage, parent.get_name() + " has no commands of its own");
  throw Error(ErrorCode::usage, describe_unknown_command(parent, name));
}

std::string describe_unknown_command(const CLI::App& parent, const std::string& word) {
  const std::vector<std::string> names = command_names(parent);
  const std::string suggestion = suggestion_for(word, names);
  if (!suggestion.empty()) return "unknown command " + word + suggestion;
  const auto whole = std::ranges::find_if(names, [&](const std::string& name) { return name.starts_with(word); });
  if (word.size() >= shortest_beginning && whole != names.end()) {
    return "unknown command " + word + " (did you mean " + *whole + "?)";
  }
  return "unknown command: give " + list_commands(parent);
}

std::string list_commands(const CLI::App& parent) {
  const std::vector<std::string> names = command_names(parent);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace phalanx
