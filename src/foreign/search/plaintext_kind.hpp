// Whether something looks like a plaintext: evidence that it was opened with the right key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <phalanx/phalanx.hpp>
#include <string_view>

namespace phalanx {

/// How much of a plaintext's beginning is looked at, and of its end.
inline constexpr std::size_t recognised_from_bytes = std::size_t{64} << 10;

/// What kind of data begins like this, "text" or the name of a format whose first fields parse; nullptr if nothing is
/// recognised. What a wrong key gives looks random, and is taken for one of these at most once in 2^32 times. `beginning` is
/// the first recognised_from_bytes of the plaintext, or all of it (`whole`).
[[nodiscard]] const char* recognise_plaintext(Bytes beginning, bool whole);

/// Where a part of a plaintext lies in it.
struct PlaintextPart {
  bool first = false;  ///< begins with the plaintext: else it may begin within a character
  bool last = false;   ///< ends with it: else it may end within one
};

/// Whether a part is text at each of sixteen places that are spread over it, its two ends among them, or everywhere where it
/// has 64 KiB at most. The places do not lie at equal distances: what is right in one of so many blocks or sectors only is
/// not right at all of them.
[[nodiscard]] bool is_text_at_sixteen_places(Bytes part, const PlaintextPart& place);

/// Whether the first block of a cipher of 8 bytes is ASCII: random bytes are so once in 2,200 times, and UTF-8 once in 520.
[[nodiscard]] bool begins_as_ascii(Bytes beginning);

/// Whether text ends as padding of PKCS #7 does, whose bytes may be tabs and line ends.
[[nodiscard]] bool text_ends_as_padding(Bytes ending);

}  // namespace phalanx
