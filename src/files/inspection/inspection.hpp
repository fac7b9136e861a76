// Inspecting what is open already.
#pragma once

#include <phalanx/files/inspect.hpp>

#include "files/recognition/recognised_file.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// Holds what is said of a file, and the recogniser's own words.
struct Inspection {
  InspectedFile file;
  RecognisedFile recognised;
};

/// Inspects a file as inspect_file does, from where the input stands.
[[nodiscard]] Inspection inspect_input(Input& input);

}  // namespace phalanx
