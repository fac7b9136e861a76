#include "files/recognition/utf16_text.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace phalanx {
namespace {

constexpr std::size_t surely_ascii_units = 5;   // with a mark: 16 + 5 * 8 bits and more are as random bytes hardly are
constexpr std::size_t surely_text_units = 128;  // of which random ones are all characters once in 2^40 times

std::vector<std::uint16_t> units_of(Bytes bytes, bool is_big_endian) {
  std::vector<std::uint16_t> units(bytes.size() / 2);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const unsigned first = bytes[2 * i], second = bytes[2 * i + 1];
    units[i] = static_cast<std::uint16_t>(is_big_endian ? first << 8 | second : second << 8 | first);
  }
  return units;
}

bool is_ascii_text(std::uint16_t unit) {
  return (unit >= 0x20 && unit < 0x7f) || unit == '\t' || unit == '\n' || unit == '\r' || unit == '\f';
}
bool is_high(std::uint16_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low(std::uint16_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

// The code points, or nothing where there is a control character, half a pair, or one that stands for nothing.
std::optional<std::vector<std::uint32_t>> points_of(const std::vector<std::uint16_t>& units) {
  std::vector<std::uint32_t> points;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::uint16_t unit = units[i];
    const bool is_private = unit >= 0xe000 && unit < 0xf900;
    if (is_low(unit) || is_private || unit >= 0xfffe || (unit < 0xa0 && !is_ascii_text(unit))) return std::nullopt;
    if (!is_high(unit)) {
      points.push_back(unit);
      continue;
    }
    if (i + 1 == units.size()) break;
    if (!is_low(units[i + 1])) return std::nullopt;
    points.push_back(0x10000U + ((unit & 0x3ffU) << 10) + (units[++i] & 0x3ffU));
  }
  return points;
}

void append_utf8(std::string& text, std::uint32_t point) {
  const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80U | (point >> shift & 0x3fU)); };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xc0U | point >> 6);
    tail(0);
  } else if (point < 0x10000) {
    text += static_cast<char>(0xe0U | point >> 12);
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xf0U | point >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

std::optional<std::string> read_utf16(Bytes beginning) {
  if (beginning.size() < 2 * surely_ascii_units) return std::nullopt;
  const unsigned mark = beginning[0] << 8U | beginning[1];
  const bool has_mark = mark == 0xfeff || mark == 0xfffe;
  const bool is_big_endian = has_mark ? mark == 0xfeff : beginning[0] == 0;
  const std::vector<std::uint16_t> units = units_of(has_mark ? beginning.subspan(2) : beginning, is_big_endian);
  const std::optional<std::vector<std::uint32_t>> points = points_of(units);
  if (!points) return std::nullopt;
  const auto num_ascii = static_cast<std::size_t>(std::ranges::count_if(units, is_ascii_text));
  const bool is_mostly_ascii = num_ascii >= surely_ascii_units && num_ascii * 2 >= units.size();
  if (has_mark ? !is_mostly_ascii && units.size() < surely_text_units : num_ascii < units.size()) return std::nullopt;
  std::string text;
  for (const std::uint32_t point : *points) append_utf8(text, point);
  return text;
}

}  // namespace phalanx
