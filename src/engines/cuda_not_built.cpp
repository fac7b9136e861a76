#include "engines/cuda_engine.hpp"

namespace phalanx {

EngineInfo cuda_info() { return {"cuda", "NVIDIA GPUs", false, "this build has no CUDA engine"}; }

}  // namespace phalanx
