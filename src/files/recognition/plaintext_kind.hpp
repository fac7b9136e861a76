// This says whether something looks like a plaintext, as evidence that it was opened with the right key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <phalanx/bytes.hpp>
#include <string_view>

namespace phalanx {

/// So much of a plaintext's beginning is looked at, and of its end.
inline constexpr std::size_t recognised_from_bytes = std::size_t{64} << 10;

/// Names the kind of data that begin like this: "text", or a format whose first fields parse; nullptr if nothing is
/// recognised. A wrong key gives random bytes, which are taken for one of these at most once in 2^32 times. `beginning` is
/// the first recognised_from_bytes of the plaintext, or all of it (`whole`).
[[nodiscard]] const char* recognise_plaintext(Bytes beginning, bool whole);

/// Says whether all is UTF-8 without control characters but tab, LF, FF and CR. `may_be_cut`: the end may be within a
/// character. Few random bytes are text by chance.
[[nodiscard]] bool is_text(Bytes bytes, bool may_be_cut);

/// Where a part of a plaintext lies in it.
struct PlaintextPart {
  bool first = false;  ///< begins with the plaintext: else it may begin within a character
  bool last = false;   ///< ends with it: else it may end within one
};

/// Says whether a part is text at each of sixteen places that are spread over it, its two ends among them. A part of 64 KiB
/// at most must be text everywhere. The places do not lie at equal distances: what is right in one of so many blocks or
/// sectors only is not right at all of them.
[[nodiscard]] bool is_text_at_sixteen_places(Bytes part, const PlaintextPart& place);

/// Says whether the first block of a cipher, 8 or 16 bytes, is as random bytes hardly are. A wrong iv of CBC or CFB makes
/// random bytes of it. Four of its bytes are alike, or it begins with a byte order mark. Or 14 of 16 are ASCII, or all are
/// UTF-8; of 8 all are ASCII, or UTF-8 with two of ASCII at most. Random bytes are so once in 1,500 times where a block has
/// 8, and once in 5,000 where it has 16. `whole`: nothing follows, and what is shorter than a block was padded as PKCS #7
/// does.
[[nodiscard]] bool begins_beyond_chance(Bytes beginning, std::size_t block_bytes, bool whole);

/// Says whether text ends as padding of PKCS #7 does, whose bytes may be tabs and line ends.
[[nodiscard]] bool text_ends_as_padding(Bytes ending);

}  // namespace phalanx
