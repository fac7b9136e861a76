#include "engine/engines/cpu/instruction_sets.hpp"

namespace phalanx {
namespace {

bool always() { return true; }

constexpr InstructionSet sets[] = {
    {.name = "scalar", .description = "any 64-bit machine", .usable = always, PHALANX_KERNELS(scalar, scalar)},
};

}  // namespace

std::span<const InstructionSet> instruction_sets() { return sets; }

}  // namespace phalanx
