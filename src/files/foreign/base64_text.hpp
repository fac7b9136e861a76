// This reads the beginning of a base64 text, as it lies in files. Nothing else reads such beginnings.
#pragma once

#include <cstdint>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string_view>
#include <vector>

namespace phalanx {

/// Random bytes, where there are so many, are all in base64's alphabet about once in 10^19 times.
inline constexpr std::size_t surely_base64_bytes = 32;

enum class Base64Alphabet : std::uint8_t { standard, url_safe };

/// `is_likely`: it has surely_base64_bytes characters, with capital letters, small letters and digits among them. Words do
/// not.
struct Base64Text {
  std::vector<std::uint8_t> decoded;  ///< what it begins with
  bool is_likely = false;
};

/// Decodes the beginning of a text as Base64Decoder does: lines of any length, or none, with LF or CRLF. Spaces and tabs may
/// stand about lines, or for line ends. Nothing where a character is of another alphabet, padding is misplaced, or a
/// `url_safe` text has no `-` and no `_`. Words with spaces between them are prose and no base64, unless they decode to
/// "Salted__". Such a text is base64 where all words but the last have one length, 16 or more, and the last is no longer.
/// The end may be cut within a group.
[[nodiscard]] std::optional<Base64Text> read_base64(Bytes beginning, Base64Alphabet alphabet = Base64Alphabet::standard);

/// Says whether base64 that begins so decodes to "Salted__". It may be damaged further on.
[[nodiscard]] bool begins_as_salted_base64(Bytes beginning);

/// Decodes a text up to `end_mark`, or all of it where that is not in it. Returns nothing where the text is no base64.
[[nodiscard]] std::vector<std::uint8_t> decode_base64_before(std::string_view text, std::string_view end_mark);

}  // namespace phalanx
