// UTF-8 (RFC 3629), and what of it may be shown to people as it is.
#pragma once

#include <cstddef>
#include <phalanx/bytes.hpp>
#include <string>
#include <string_view>

namespace phalanx {

/// Returns how many bytes the first character of `text`, which is not empty, takes in UTF-8. Returns 0 if none begins
/// there, or it is cut short.
[[nodiscard]] std::size_t utf8_character_bytes(Bytes text);

/// Returns whether the text is UTF-8 without control characters (C0, DEL, C1), tab and newline excepted. On a terminal
/// such a text does nothing but show.
[[nodiscard]] bool is_plain_text(Bytes text);

/// One line for people, of text that may hold any bytes, as names of files do: '?' stands for each control character, tab
/// and newline too, and for each byte that is no UTF-8 and would be a control character in other sets.
[[nodiscard]] std::string plain_line(std::string_view text);

/// JSON in which the control characters that it may hold as they are, DEL and C1, are written as escapes.
[[nodiscard]] std::string escape_json_controls(std::string_view json);

}  // namespace phalanx
