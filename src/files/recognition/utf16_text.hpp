// Text in UTF-16, as some systems' shells write what another program prints.
#pragma once

#include <optional>
#include <phalanx/bytes.hpp>
#include <string>

namespace phalanx {

/// Returns a text that begins with a byte order mark, or whose characters are all ASCII, as UTF-8 has it. Nothing for other
/// bytes: random ones are taken for such text less than once in 2^32 times. The end may be cut within a character.
[[nodiscard]] std::optional<std::string> read_utf16(Bytes beginning);

}  // namespace phalanx
