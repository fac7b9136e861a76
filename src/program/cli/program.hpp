// The program, whatever started it.
#pragma once

namespace phalanx {

class RunExecutor;

/// Before anything else, while there is one thread: closed standard descriptors, core dumps, signals.
void prepare_process();

/// Parses the arguments and does what they ask for. Returns the exit code; what goes wrong is said on standard error. With
/// an executor, which stays the caller's, what is done to files piece by piece is done by it as far as it can be.
[[nodiscard]] int run_program(int argc, char** argv, RunExecutor* executor = nullptr);

}  // namespace phalanx
