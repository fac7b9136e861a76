// IN that another program writes while it is read.
#pragma once

#include "cli/console/command_line_library.hpp"
#include "files/input_watch.hpp"

namespace phalanx {

inline constexpr const char* changing_input_option = "--changing-input";

void add_changing_input_option(CLI::App& command, bool& changing_input);

/// All was read: what became of IN meanwhile, in a line. Throws as InputWatch::judge does.
void say_what_changed(InputWatch& watch, bool quiet);

}  // namespace phalanx
