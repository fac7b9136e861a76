// The beginning of a base64 text, as it lies in files: this is the only reader of such beginnings.
#pragma once

#include <cstdint>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string_view>
#include <vector>

namespace phalanx {

/// Random bytes are all of base64's alphabet about once in 10^19 times where there are so many.
inline constexpr std::size_t surely_base64_bytes = 32;

enum class Base64Alphabet : std::uint8_t { standard, url_safe };

/// `is_likely`: capital and small letters and digits stand in it, and there are surely_base64_bytes. Words are not so.
struct Base64Text {
  std::vector<std::uint8_t> decoded;  ///< what it begins with
  bool is_likely = false;
};

/// Decodes the beginning of a text as Base64Decoder does: lines of any length, or none, with LF or CRLF, with spaces or tabs
/// about them, or for line ends. Nothing where a character is of another alphabet or padding is misplaced. Words with
/// spaces between them are prose and no base64, unless they decode to "Salted__": a line with spaces in it is base64 where
/// all words but the last are of one length, 16 or more. The end may be cut within a group.
[[nodiscard]] std::optional<Base64Text> read_base64(Bytes beginning, Base64Alphabet alphabet = Base64Alphabet::standard);

/// Says whether base64 that begins so decodes to "Salted__", though it be damaged further on.
[[nodiscard]] bool begins_as_salted_base64(Bytes beginning);

/// Decodes what stands in a text up to the first character that is none of the alphabet's and no white space.
[[nodiscard]] std::vector<std::uint8_t> decode_base64_before(std::string_view text, std::string_view end_mark);

}  // namespace phalanx
