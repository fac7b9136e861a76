// The engines of this build by name. Resolved once, at the first call.
#pragma once

#include <phalanx/options.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engines/cpu/cpu_engine.hpp"

namespace phalanx {

/// Every engine, usable here or not.
std::vector<EngineInfo> list_engines();

/// The same without GPUs, whose driver takes long to start.
std::vector<EngineInfo> list_cpu_engines();

/// The engine of that name; "cpu", "auto" and "": the best instruction set of this CPU. Throws Error (usage), listing the
/// usable ones, if it is unknown or cannot run here.
const Engine& find_engine(std::string_view name);

/// The engine of the best instruction set of this CPU.
const CpuEngine& best_cpu_engine();

/// The crossover between single blocks and groups of them (Kernel::serial_blocks) of a cipher on an engine, named as for
/// find_engine: 0 where the engine is none of the CPU. Ciphers that share a kernel share it: all key lengths but AES's.
std::size_t serial_blocks(std::string_view engine_name, const CipherSpec& cipher);
/// Replaces it, in this process; calls that are running take either. Changes speed, never bytes. Does nothing where there is
/// none.
void set_serial_blocks(std::string_view engine_name, const CipherSpec& cipher, std::size_t num_blocks);

/// Adds "cpu:<name of the set>", which is only chosen by name: for tests, which bring kernels of their own. The set must
/// outlive the process's engines.
void add_cpu_engine(const InstructionSet& set);

}  // namespace phalanx
