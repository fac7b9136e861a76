// Inspecting what is open already.
#pragma once

#include <phalanx/files/inspect.hpp>

#include "files/system/input.hpp"

namespace phalanx {

/// As inspect_file, from where the input stands.
[[nodiscard]] InspectedFile inspect_input(Input& input);

}  // namespace phalanx
