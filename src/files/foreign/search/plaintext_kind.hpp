// Whether something looks like a plaintext: evidence that it was opened with the right key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <phalanx/bytes.hpp>
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

/// Whether the first block of a cipher, 8 or 16 bytes, is as random bytes hardly are, which a wrong iv of CBC or CFB makes
/// of it. Four of its bytes are alike, or it begins with a byte order mark. Or 14 of 16 are ASCII, or all are UTF-8; of 8
/// all are ASCII, or UTF-8 with two of ASCII at most. Random bytes are so once in 1,500 times where a block has 8, and once
/// in 5,000 where it has 16. `whole`: nothing follows, and what is shorter than a block was padded as PKCS #7 does.
[[nodiscard]] bool begins_beyond_chance(Bytes beginning, std::size_t block_bytes, bool whole);

/// Whether text ends as padding of PKCS #7 does, whose bytes may be tabs and line ends.
[[nodiscard]] bool text_ends_as_padding(Bytes ending);

}  // namespace phalanx
