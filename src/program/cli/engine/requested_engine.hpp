// What a program's options and environment name as the engine: the library itself never looks at the environment.
#pragma once

#include <string>
#include <string_view>

namespace phalanx {

/// What an option names: itself; empty: $PHALANX_ENGINE, else "auto".
[[nodiscard]] std::string requested_engine(std::string_view name);

}  // namespace phalanx
