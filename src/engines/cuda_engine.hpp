// The place of NVIDIA GPUs among the engines. This build has none: cuda_not_built.cpp.
#pragma once

#include <phalanx/phalanx.hpp>

namespace phalanx {

EngineInfo cuda_info();

}  // namespace phalanx
