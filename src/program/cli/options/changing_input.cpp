#include "program/cli/options/changing_input.hpp"

#include <CLI/CLI.hpp>

#include "program/cli/console/messages.hpp"

namespace phalanx {

void add_changing_input_option(CLI::App& command, bool& changing_input) {
  command.add_flag(changing_input_option, changing_input,
                   "take IN as it comes, even if it is changed or made shorter while it is read");
}

void say_what_changed(const std::string& what, bool quiet) { print_note("warning: " + what, quiet); }

}  // namespace phalanx
