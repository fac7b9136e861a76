// The kernels over emulated instructions, as instruction sets beside those of instruction_sets().
#pragma once

#include "engine/engines/cpu/instruction_sets.hpp"

namespace phalanx {

/// Those of the machine that the tests are built for: none where nothing is emulated.
std::span<const InstructionSet> emulated_instruction_sets();

}  // namespace phalanx
