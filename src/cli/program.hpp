// The program, whatever started it.
#pragma once

namespace phalanx {

class RunPlace;

/// Before anything else, while there is one thread: closed standard descriptors, core dumps, signals.
void prepare_process();

/// Parses the arguments and does what they ask for. Returns the exit code; what goes wrong is said on standard error. With
/// a place, which stays the caller's, what is done to files piece by piece is done there as far as it can be.
[[nodiscard]] int run_program(int argc, char** argv, RunPlace* place = nullptr);

}  // namespace phalanx
