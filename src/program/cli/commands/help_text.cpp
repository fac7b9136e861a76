#include "program/cli/commands/help_text.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <vector>

#include "program/cli/console/help_marks.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_columns = 100;
constexpr std::size_t option_column = 30;  // where descriptions begin
constexpr std::size_t command_column = 14;

using Options = std::vector<const CLI::Option*>;
using Commands = std::vector<const CLI::App*>;

// Returns options in the order in which they were added. An option of no group is for nobody to see.
Options shown_options(const CLI::App& command, bool positional) {
  return command.get_options([positional](const CLI::Option* option) {
    return !option->get_group().empty() && option->get_positional() == positional;
  });
}
Commands shown_commands(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* below) { return !below->get_group().empty(); });
}

bool takes_many(const CLI::Option& option) { return option.get_expected_max() > 1; }

// Returns text that begins at a column, and goes on there in further lines.
std::string wrapped(const std::string& text, std::size_t column) {
  std::istringstream words(text);
  std::string lines;
  std::size_t at = column;
  for (std::string word; words >> word;) {
    const bool is_first = at == column;
    if (!is_first && at + 1 + word.size() > most_columns) {
      lines += '\n' + std::string(column, ' ');
      at = column;
    } else if (!is_first) {
      lines += ' ';
      ++at;
    }
    lines += word;
    at += word.size();
  }
  return lines + '\n';
}

std::string line(const std::string& left, const std::string& description, std::size_t column) {
  const std::string text = "  " + left;
  const bool fits = text.size() < column;
  return text + (fits ? "" : "\n") + std::string(fits ? column - text.size() : column, ' ') + wrapped(description, column);
}

std::string usage(const CLI::App& command, const std::string& title) {
  std::string text = "Usage: " + title;
  if (!shown_options(command, false).empty()) text += " [OPTIONS]";
  for (const CLI::Option* argument : shown_options(command, true)) {
    const std::string name = argument->get_name(true) + (takes_many(*argument) ? "..." : "");
    text += argument->get_required() ? " " + name : " [" + name + "]";
  }
  if (!shown_commands(command).empty()) text += " COMMAND";
  return text + '\n';
}

std::string example_lines(const CLI::App& command) {
  std::istringstream examples(examples_of(command));
  std::string text;
  for (std::string example; std::getline(examples, example);) text += "    " + example + '\n';
  return text.empty() ? "" : "\nExamples:\n" + text;
}

// Returns names such as "-o,--output", or an argument's name.
std::string all_names(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string names;
  for (const std::string& name : option.get_snames()) names += ",-" + name;
  for (const std::string& name : option.get_lnames()) names += ",--" + name;
  return names.substr(1);
}

// CLI11 has the excluded options in the order of their addresses, so that all are looked through in theirs.
std::string excluded_by(const CLI::App& command, const CLI::Option& option) {
  const auto excluded = option.get_excludes();
  std::string names;
  for (const CLI::Option* other : command.get_options()) {
    const bool is_excluded = std::ranges::any_of(excluded, [other](const CLI::Option* each) { return each == other; });
    if (is_excluded) names += " " + other->get_name(other->get_positional());
  }
  return names.empty() ? "" : " (not with" + names + ")";
}

std::string option_line(const CLI::App& command, const CLI::Option& option, HelpDetail detail) {
  std::string left = all_names(option);
  if (const std::string type = option.get_type_name(); !type.empty() && option.get_expected_max() != 0) left += " " + type;
  if (takes_many(option)) left += " ...";
  if (option.get_required()) left += " REQUIRED";
  const std::string excluded = detail == HelpDetail::all ? excluded_by(command, option) : "";
  return line(left, option.get_description() + excluded, option_column);
}

// CLI11 calls the group without a name otherwise in each release. It is the one that --help is in.
std::string heading_of(const CLI::App& command, const std::string& group) {
  const CLI::Option* const help = command.get_help_ptr();
  return help != nullptr && help->get_group() == group ? "Options" : group;
}

// Returns a heading for each group, in the order of their first members, each with the lines of its members.
template <class Member, class Heading, class Line>
std::string grouped(std::vector<const Member*> left, const Heading& heading, const Line& line_of,
                    const std::string& between) {
  std::string text;
  while (!left.empty()) {
    const std::string group = left.front()->get_group();
    const auto others = std::stable_partition(left.begin(), left.end(),
                                              [&group](const Member* member) { return member->get_group() == group; });
    text += (text.empty() ? "\n" : between) + heading(group) + ":\n";
    for (auto member = left.begin(); member != others; ++member) text += line_of(**member);
    left.erase(left.begin(), others);
  }
  return text;
}

std::string argument_lines(const CLI::App& command, HelpDetail detail) {
  const Options arguments = shown_options(command, true);
  std::string text;
  for (const CLI::Option* argument : arguments) text += option_line(command, *argument, detail);
  return text.empty() ? "" : "\nArguments:\n" + text;
}

std::string grouped_options(const CLI::App& command, HelpDetail detail) {
  Options options = shown_options(command, false);
  if (detail == HelpDetail::common) std::erase_if(options, [](const CLI::Option* option) { return !is_common(*option); });
  return grouped(
      options, [&](const std::string& group) { return heading_of(command, group); },
      [&](const CLI::Option& option) { return option_line(command, option, detail); },
      detail == HelpDetail::all ? "\n" : "");
}

std::string grouped_commands(const CLI::App& command) {
  const std::string unnamed = CLI::App().get_group();
  return grouped(
      shown_commands(command), [&](const std::string& group) { return group == unnamed ? "Commands" : group; },
      [](const CLI::App& below) { return line(below.get_name(), below.get_description(), command_column); }, "");
}

// Says where the reader finds what is not here.
std::string further_help(const CLI::App& command, const std::string& title, HelpDetail detail) {
  if (!shown_commands(command).empty()) return fmt::format("\nThe help of a command: {} COMMAND --help\n", title);
  const bool is_whole =
      detail == HelpDetail::all ||
      std::ranges::all_of(shown_options(command, false), [](const auto* option) { return is_common(*option); });
  return is_whole ? "" : fmt::format("\nAll options: {} --help-all\n", title);
}

}  // namespace

std::string help_text(const CLI::App& command, const std::string& title, HelpDetail detail) {
  return command.get_description() + '\n' + usage(command, title) + example_lines(command) +
         argument_lines(command, detail) + grouped_options(command, detail) + grouped_commands(command) +
         further_help(command, title, detail);
}

void set_help_text(CLI::App& program) {
  program.set_help_flag("-h,--help", "print this help, with the common options");
  program.set_help_all_flag("--help-all", "print it with all options");
  program.formatter_fn([](const CLI::App* command, const std::string& title, CLI::AppFormatMode mode) {
    return help_text(*command, title, mode == CLI::AppFormatMode::All ? HelpDetail::all : HelpDetail::common);
  });
}

}  // namespace phalanx
