// For machines whose instructions an emulator of the whole processor tests.
#include "emulated_instruction_sets.hpp"

namespace phalanx {

std::span<const InstructionSet> emulated_instruction_sets() { return {}; }

}  // namespace phalanx
