// Inspecting what is open already.
#pragma once

#include <phalanx/inspect.hpp>

#include "files/input.hpp"

namespace phalanx {

/// As inspect_file, from where the input stands.
[[nodiscard]] InspectedFile inspect_input(Input& input);

}  // namespace phalanx
