// This is a command that was parsed, and is still to be done.
#pragma once

#include <functional>

#include "files/pipeline/run_executor.hpp"

namespace phalanx {

/// Does the command. The executor, which may be nullptr and stays the caller's, does the runs over pieces. Returns the exit
/// code.
using CommandRun = std::function<int(RunExecutor* executor)>;

}  // namespace phalanx
