// This is the option for an IN that another program writes while it is read.
#pragma once

#include <string>

#include "program/cli/console/command_line_library.hpp"

namespace phalanx {

inline constexpr const char* changing_input_option = "--changing-input";

void add_changing_input_option(CLI::App& command, bool& changing_input);

/// Says what became of IN while it was read, as InputWatch::judge has it.
void say_what_changed(const std::string& what, bool quiet);

}  // namespace phalanx
