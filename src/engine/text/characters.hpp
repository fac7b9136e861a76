// These make letters of ASCII small, whatever the locale. bytes_of of the library's own interface gives characters as
// bytes.
#pragma once

#include <string>
#include <string_view>

namespace phalanx {

[[nodiscard]] constexpr char lower_case(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a') : character;
}

[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& character : lower) character = lower_case(character);
  return lower;
}

}  // namespace phalanx
