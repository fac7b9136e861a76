// What somebody who mistyped a name probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace phalanx {

/// " (did you mean NAME?)" with the nearest of the names, case ignored, or "" if none is near: at most two letters or dashes
/// (one in a short name) left out, added, changed or swapped with their neighbour. Digits must agree: another digit is
/// another cipher.
[[nodiscard]] std::string suggestion_for(std::string_view typed, std::span<const std::string> names);

/// All that are equally near, and no other is nearer; none where none is near.
[[nodiscard]] std::vector<std::string> nearest_of(std::string_view typed, std::span<const std::string> names);

}  // namespace phalanx
