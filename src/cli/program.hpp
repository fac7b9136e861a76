// The program, whatever started it.
#pragma once

namespace phalanx {

/// Before anything else, while there is one thread: closed standard descriptors, core dumps, signals.
void prepare_process();

/// Parses the arguments and does what they ask for. Returns the exit code; what goes wrong is said on standard error.
[[nodiscard]] int run_program(int argc, char** argv);

}  // namespace phalanx
