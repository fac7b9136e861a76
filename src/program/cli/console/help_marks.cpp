#include "program/cli/console/help_marks.hpp"

#include <CLI/CLI.hpp>

namespace phalanx {

// CLI11 keeps with each option whether a file of settings may set it. The program reads no such file, so this is the mark:
// false means common. --help, --help-all and --version are that by themselves.
CLI::Option* mark_common(CLI::Option* option) { return option->configurable(false); }
CLI::Option* mark_rare(CLI::Option* option) { return option->configurable(true); }
bool is_common(const CLI::Option& option) { return !option.get_configurable(); }

void set_examples(CLI::App& command, const std::string& lines) { command.footer(lines); }
std::string examples_of(const CLI::App& command) { return command.get_footer(); }

}  // namespace phalanx
