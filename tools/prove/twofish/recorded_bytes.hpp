// Included between recorded_std.hpp and headers of src/ that compute with bytes: there std::uint8_t is recorded too.
#pragma once

#include "recorded_std.hpp"

namespace phalanx::std {
using uint8_t = ::prove::RecordedInteger<::std::uint8_t>;
}
