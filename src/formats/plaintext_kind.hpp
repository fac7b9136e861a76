// Whether something looks like a plaintext: evidence that it was opened with the right key.
#pragma once

#include <cstddef>

#include "phalanx/phalanx.hpp"

namespace phalanx {

/// How much of a plaintext's beginning is looked at.
inline constexpr std::size_t recognised_from_bytes = std::size_t{64} << 10;

/// What kind of data begins like this, "text" or the name of a format whose first fields parse; nullptr if nothing is
/// recognised. What a wrong key gives looks random, and is taken for one of these at most once in 2^32 times. `beginning` is
/// the first recognised_from_bytes of the plaintext, or all of it (`whole`).
[[nodiscard]] const char* recognise_plaintext(Bytes beginning, bool whole);

}  // namespace phalanx
