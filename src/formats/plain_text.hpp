// UTF-8 (RFC 3629), and what of it may be shown to people as it is.
#pragma once

#include <cstddef>

#include "phalanx/phalanx.hpp"

namespace phalanx {

/// How many bytes the first character of `text`, which is not empty, takes in UTF-8; 0 if none begins there, or it is cut
/// short.
[[nodiscard]] std::size_t utf8_character_bytes(Bytes text);

/// Whether all of it is UTF-8 without control characters (C0, DEL, C1) but tab and newline: on a terminal it does nothing
/// but show.
[[nodiscard]] bool is_plain_text(Bytes text);

}  // namespace phalanx
