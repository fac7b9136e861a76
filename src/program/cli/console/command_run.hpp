// A command that was parsed, and is still to be done.
#pragma once

#include <functional>

#include "files/pipeline/run_executor.hpp"

namespace phalanx {

/// Does it, and runs over pieces by the executor, which may be nullptr and stays the caller's. Returns the exit code.
using CommandRun = std::function<int(RunExecutor* executor)>;

}  // namespace phalanx
