// The CPU as an engine: one instruction set's kernels over the threads of threads.hpp.
#pragma once

#include <memory>

#include "engines/cpu/kernel.hpp"
#include "engines/engine.hpp"

namespace phalanx {

/// The engine "cpu:<name of the set>". The set stays with the caller and must outlive the engine.
std::unique_ptr<Engine> make_cpu_engine(const InstructionSet& set);

}  // namespace phalanx
