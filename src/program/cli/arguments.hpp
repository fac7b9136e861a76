// This parses the command line.
#pragma once

#include <optional>

#include "program/cli/console/command_run.hpp"

namespace phalanx {

/// Fills `run` with the command that the arguments name. Returns an exit code if there is nothing to run: after --help,
/// --version, or a wrong argument, for which it has printed one line. That line never repeats a value, which may be a secret
/// given by mistake.
[[nodiscard]] std::optional<int> parse_arguments(int argc, char** argv, CommandRun& run);

}  // namespace phalanx
