// The place of NVIDIA GPUs among the engines: cuda/cuda_engine.cpp, or cuda_not_built.cpp in a build without them.
#pragma once

#include <memory>
#include <phalanx/phalanx.hpp>
#include <vector>

#include "engines/engine.hpp"

namespace phalanx {

struct EngineEntry {
  EngineInfo info;
  std::unique_ptr<const Engine> engine;  ///< null where it is not usable
};

/// "cuda", all GPUs as one, and "cuda:N" for each; where there is none, "cuda" alone, with the reason. Takes a while: it starts the
/// driver.
std::vector<EngineEntry> find_cuda_engines();

}  // namespace phalanx
