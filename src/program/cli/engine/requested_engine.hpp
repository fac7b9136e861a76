// This finds the engine that a program's options or environment name. The library itself never looks at the environment.
#pragma once

#include <string>
#include <string_view>

namespace phalanx {

/// Returns the engine that an option names. For "" it is $PHALANX_ENGINE, or else "auto".
[[nodiscard]] std::string requested_engine(std::string_view name);

}  // namespace phalanx
