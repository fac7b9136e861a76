// A command that was parsed, and is still to be done.
#pragma once

#include <functional>

#include "pipeline/run_place.hpp"

namespace phalanx {

/// Does it, where it has a run over pieces in the place, which may be nullptr and stays the caller's. Returns the exit code.
using CommandRun = std::function<int(RunPlace* place)>;

}  // namespace phalanx
