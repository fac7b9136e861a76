#include "program/cli/commands/help_text.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

namespace phalanx {
namespace {

constexpr std::size_t description_column = 30;

using Options = std::vector<const CLI::Option*>;

// In the order in which they were added. Those of no group are for nobody to see.
Options shown_options(const CLI::App& command, bool positional) {
  return command.get_options([positional](const CLI::Option* option) {
    return !option->get_group().empty() && option->get_positional() == positional;
  });
}
std::vector<const CLI::App*> shown_commands(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* below) { return !below->get_group().empty(); });
}

bool takes_many(const CLI::Option& option) { return option.get_expected_max() > 1; }

std::string line(const std::string& left, const std::string& description) {
  const std::string text = "  " + left;
  const std::string gap(text.size() < description_column ? description_column - text.size() : description_column, ' ');
  return text + (text.size() < description_column ? "" : "\n") + gap + description + '\n';
}

std::string usage(const CLI::App& command, const std::string& title) {
  std::string text = "Usage: " + title;
  if (!shown_options(command, false).empty()) text += " [OPTIONS]";
  for (const CLI::Option* argument : shown_options(command, true)) {
    const std::string name = argument->get_name(true) + (takes_many(*argument) ? "..." : "");
    text += argument->get_required() ? " " + name : " [" + name + "]";
  }
  if (!shown_commands(command).empty()) text += " SUBCOMMAND";
  return text + '\n';
}

// "-o,--output", or an argument's name.
std::string all_names(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string names;
  for (const std::string& name : option.get_snames()) names += ",-" + name;
  for (const std::string& name : option.get_lnames()) names += ",--" + name;
  return names.substr(1);
}

// CLI11 has them in the order of their addresses.
std::string excluded_by(const CLI::App& command, const CLI::Option& option) {
  const auto excluded = option.get_excludes();
  std::string names;
  for (const CLI::Option* other : command.get_options()) {
    const bool is_excluded = std::ranges::any_of(excluded, [other](const CLI::Option* each) { return each == other; });
    if (is_excluded) names += " " + other->get_name(other->get_positional());
  }
  return names.empty() ? "" : " Excludes:" + names;
}

std::string option_lines(const CLI::App& command, const std::string& heading, const Options& options) {
  std::string text = "\n" + heading + ":\n";
  for (const CLI::Option* option : options) {
    std::string left = all_names(*option);
    if (const std::string type = option->get_type_name(); !type.empty() && option->get_expected_max() != 0)
      left += " " + type;
    if (takes_many(*option)) left += " ...";
    if (option->get_required()) left += " REQUIRED";
    text += line(left + excluded_by(command, *option), option->get_description());
  }
  return text;
}

// The group that was given no name has another one in each release of CLI11: --help is in it.
std::string heading_of(const CLI::App& command, const std::string& group) {
  const CLI::Option* const help = command.get_help_ptr();
  return help != nullptr && help->get_group() == group ? "Options" : group;
}

std::string grouped_options(const CLI::App& command) {
  std::string text;
  Options left = shown_options(command, false);
  while (!left.empty()) {
    const std::string group = left.front()->get_group();
    const auto others = std::stable_partition(left.begin(), left.end(),
                                              [&group](const CLI::Option* option) { return option->get_group() == group; });
    text += option_lines(command, heading_of(command, group), Options(left.begin(), others));
    left.erase(left.begin(), others);
  }
  return text;
}

}  // namespace

std::string help_text(const CLI::App& command, const std::string& title) {
  std::string text = command.get_description() + '\n' + usage(command, title);
  if (const Options arguments = shown_options(command, true); !arguments.empty()) {
    text += option_lines(command, "Positionals", arguments);
  }
  text += grouped_options(command);
  const auto commands = shown_commands(command);
  if (!commands.empty()) text += "\nSubcommands:\n";
  for (const CLI::App* below : commands) text += line(below->get_name(), below->get_description());
  return text;
}

void set_help_text(CLI::App& program) {
  program.formatter_fn(
      [](const CLI::App* command, const std::string& title, CLI::AppFormatMode) { return help_text(*command, title); });
}

}  // namespace phalanx
