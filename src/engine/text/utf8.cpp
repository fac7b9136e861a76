#include "engine/text/utf8.hpp"

#include <cstdint>

#include "engine/text/characters.hpp"

namespace phalanx {
namespace {

// Returns whether a character, which is UTF-8, is a control character. C1, U+0080 to U+009F, is 0xc2 and the number
// itself.
bool is_control(Bytes character) {
  if (character.size() == 1) return character[0] < 0x20 || character[0] == 0x7f;
  return character[0] == 0xc2 && character[1] < 0xa0;
}

}  // namespace

std::size_t utf8_character_bytes(Bytes text) {
  const std::uint8_t first = text[0];
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xc2 && first < 0xe0   ? 2
                           : first >= 0xe0 && first < 0xf0 ? 3
                           : first >= 0xf0 && first < 0xf5 ? 4
                                                           : 0;
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((text[i] & 0xc0U) != 0x80) return 0;
  }
  const bool overlong = (first == 0xe0 && text[1] < 0xa0) || (first == 0xf0 && text[1] < 0x90);
  const bool undefined = (first == 0xed && text[1] >= 0xa0) || (first == 0xf4 && text[1] >= 0x90);
  return overlong || undefined ? 0 : size;
}

bool is_plain_text(Bytes text) {
  while (!text.empty()) {
    const std::size_t size = utf8_character_bytes(text);
    if (size == 0) return false;
    if (is_control(text.first(size)) && text[0] != '\t' && text[0] != '\n') return false;
    text = text.subspan(size);
  }
  return true;
}

std::string plain_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const Bytes bytes = bytes_of(text);
    const std::size_t size = utf8_character_bytes(bytes);
    const std::size_t taken = size == 0 ? 1 : size;
    const bool is_shown = size == 0 ? bytes[0] >= 0xa0 : !is_control(bytes.first(size));
    line += is_shown ? text.substr(0, taken) : "?";
    text.remove_prefix(taken);
  }
  return line;
}

std::string escape_json_controls(std::string_view json) {
  constexpr const char* digits = "0123456789abcdef";
  std::string escaped;
  for (std::size_t i = 0; i < json.size(); ++i) {
    auto code = static_cast<unsigned char>(json[i]);
    const bool is_c1 = code == 0xc2 && i + 1 < json.size() && static_cast<unsigned char>(json[i + 1]) < 0xa0;
    if (is_c1) code = static_cast<unsigned char>(json[++i]);
    if (is_c1 || code == 0x7f) {
      escaped += std::string("\\u00") + digits[code >> 4] + digits[code & 15U];
    } else {
      escaped += json[i];
    }
  }
  return escaped;
}

}  // namespace phalanx
