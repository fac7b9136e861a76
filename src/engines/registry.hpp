// The engines of this build by name. Resolved once, at the first call.
#pragma once

#include <phalanx/phalanx.hpp>
#include <string_view>
#include <vector>

#include "engines/cpu/kernel.hpp"
#include "engines/engine.hpp"

namespace phalanx {

/// Every engine, usable here or not.
std::vector<EngineInfo> list_engines();

/// The engine of that name; "cpu" and "auto": the best that this machine can run; empty: $PHALANX_ENGINE, else "auto". Throws
/// Error (usage), listing the usable ones, if it is unknown or cannot run here.
const Engine& find_engine(std::string_view name);

/// Adds "cpu:<name of the set>", never chosen unless named: for tests, which bring kernels of their own. The set must stay.
void add_cpu_engine(const InstructionSet& set);

}  // namespace phalanx
