#include "engine/engines/cuda_engine.hpp"

namespace phalanx {

std::vector<EngineEntry> find_cuda_engines(const CpuEngine& /*cpu*/) {
  std::vector<EngineEntry> entries;
  entries.push_back({{"cuda", "NVIDIA GPUs", false, "this build has no CUDA engine"}, nullptr});
  return entries;
}

}  // namespace phalanx
