// phalanx verify: containers read through, and nothing written.
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace phalanx {

/// Adds the command; parsing it sets `run`, which does the work and throws Error.
void add_verify_command(CLI::App& program, std::function<int()>& run);

}  // namespace phalanx
