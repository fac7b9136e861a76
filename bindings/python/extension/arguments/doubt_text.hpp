// A doubt as Python sees its kind: a name, which is empty, and so false, where there is none.
#pragma once

#include <phalanx/files/doubt.hpp>
#include <string>

namespace phalanx {

[[nodiscard]] inline std::string doubt_text(const Doubt& doubt) { return doubt ? doubt_name(doubt.kind) : ""; }

}  // namespace phalanx
