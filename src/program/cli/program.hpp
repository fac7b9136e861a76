// This is the program, whatever started it.
#pragma once

namespace phalanx {

class RunExecutor;

/// Takes care of closed standard descriptors, core dumps and signals. It is called before anything else, while there is one
/// thread.
void prepare_process();

/// Parses the arguments and does what they ask for. Returns the exit code; errors are printed on standard error. With an
/// executor, which stays the caller's, that does the work on the pieces of files as far as it can.
[[nodiscard]] int run_program(int argc, char** argv, RunExecutor* executor = nullptr);

}  // namespace phalanx
