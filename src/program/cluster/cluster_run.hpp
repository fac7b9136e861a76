// One command of the program, of which every rank does a part.
#pragma once

#include "program/cluster/ranks.hpp"

namespace phalanx {

/// All ranks call it, with the same arguments: rank 0 runs the command, the others take part until it is over. Returns the
/// exit code.
[[nodiscard]] int run_on_ranks(Ranks& ranks, int argc, char** argv);

}  // namespace phalanx
