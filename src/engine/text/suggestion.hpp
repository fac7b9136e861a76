// This guesses the name that was meant by a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace phalanx {

/// Returns " (did you mean NAME?)" with the nearest of the names, case ignored, or "" if none is near. A near name has
/// at most two letters or dashes (one in a short name) left out, added, changed or swapped with their neighbour. Digits
/// must agree: another digit is another cipher.
[[nodiscard]] std::string suggestion_for(std::string_view typed, std::span<const std::string> names);

/// All that are equally near, and no other is nearer; none where none is near.
[[nodiscard]] std::vector<std::string> nearest_of(std::string_view typed, std::span<const std::string> names);

}  // namespace phalanx
