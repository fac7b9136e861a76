#include "formats/plain_text.hpp"

namespace phalanx {
namespace {

// Of a character that is UTF-8. C1, U+0080 to U+009F, is 0xc2 and the number itself.
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

}  // namespace phalanx
