// The instruction sets that have kernels, and whether this machine has them.
#pragma once

#include <span>

#include "engine/engines/cpu/kernel.hpp"

namespace phalanx {

/// The slowest first.
std::span<const InstructionSet> instruction_sets();

}  // namespace phalanx
