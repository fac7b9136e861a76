// phalanx bench: speed by cipher, mode, size, engine and threads.
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace phalanx {

/// Adds the command; parsing it sets `run`. It returns 0, or throws Error: (runtime) where an output is wrong.
void add_bench_command(CLI::App& program, std::function<int()>& run);

}  // namespace phalanx
