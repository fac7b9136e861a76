#include "program/cli/commands/help.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "program/cli/commands/command_names.hpp"
#include "program/cli/commands/help_text.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/console/version_text.hpp"

namespace phalanx {
namespace {

// Prints into `run`, which outlives the parser.
void print_later(const std::string& text, CommandRun& run) {
  run = [text](RunExecutor*) {
    print_result(text);
    return 0;
  };
}

std::string help_of(const CLI::App& program, const std::vector<std::string>& names) {
  const CLI::App* command = &program;
  std::string title = program.get_name();
  for (const std::string& name : names) {
    command = find_command(*command, name);
    title += ' ' + name;
  }
  return help_text(*command, title, HelpDetail::common);
}

}  // namespace

void add_help_command(CLI::App& program, CommandRun& run) {
  CLI::App* command = program.add_subcommand("help", "Show the help of a command, as COMMAND --help does");
  const auto names = std::make_shared<std::vector<std::string>>();
  command->add_option("COMMAND", *names, "the command, such as encrypt or raw decrypt; nothing: list them")->type_name("");
  set_examples(*command, "phalanx help encrypt\nphalanx help raw decrypt");
  command->callback([names, &program, &run] { print_later(help_of(program, *names), run); });
}

void add_version_command(CLI::App& program, CommandRun& run) {
  CLI::App* command = program.add_subcommand("version", "Print the version");
  set_examples(*command, "phalanx version\nphalanx --version");
  command->callback([&run] { print_later(version_text() + "\n", run); });
}

}  // namespace phalanx
