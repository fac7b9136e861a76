// The place of NVIDIA GPUs among the engines: cuda/cuda_engine.cpp, or cuda_not_built.cpp in a build without them.
#pragma once

#include <memory>
#include <phalanx/options.hpp>
#include <vector>

#include "engine/engines/cpu/cpu_engine.hpp"

namespace phalanx {

struct EngineEntry {
  EngineInfo info;
  std::unique_ptr<const Engine> engine;  ///< null where it is not usable
};

/// "cuda", all GPUs as one, and "cuda:N" for each; where there is none, "cuda" alone, with the reason. `cpu` is the
/// engine for what a GPU is no good for, and outlives these. Takes a while: it starts the driver.
std::vector<EngineEntry> find_cuda_engines(const CpuEngine& cpu);

}  // namespace phalanx
