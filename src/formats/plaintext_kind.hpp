// Whether something looks like a plaintext: evidence that it was opened with the right key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "phalanx/phalanx.hpp"

namespace phalanx {

/// How much of a plaintext's beginning is looked at, and of its end.
inline constexpr std::size_t recognised_from_bytes = std::size_t{64} << 10;

/// What kind of data begins like this, "text" or the name of a format whose first fields parse; nullptr if nothing is
/// recognised. What a wrong key gives looks random, and is taken for one of these at most once in 2^32 times. `beginning` is
/// the first recognised_from_bytes of the plaintext, or all of it (`whole`).
[[nodiscard]] const char* recognise_plaintext(Bytes beginning, bool whole);

/// Kinds of plaintext whose end is known too, each a bit.
using EndingKinds = std::uint64_t;

/// Those that end like this. A wrong key, mode or size of sectors gives the end of one of these at most once in 2^16 times.
/// `ending` is the last recognised_from_bytes of the plaintext, or at least its last few blocks.
[[nodiscard]] EndingKinds kinds_that_end_so(Bytes ending);

/// Whether `kind`, of recognise_plaintext, is among them.
[[nodiscard]] bool is_among(std::string_view kind, EndingKinds kinds);

}  // namespace phalanx
