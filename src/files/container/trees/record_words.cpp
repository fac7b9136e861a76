#include "files/container/trees/record_words.hpp"

#include <algorithm>
#include <charconv>

#include "engine/text/hex.hpp"

namespace phalanx {
namespace {

constexpr std::uint64_t nanoseconds_of_second = 1'000'000'000;

bool is_plain(char character) { return character > ' ' && character < '\x7f' && character != '%'; }

}  // namespace

void require_line(bool good) {
  if (!good) throw BadLine();
}

std::string escape(const std::string& name) {
  std::string escaped;
  for (const char character : name) {
    if (is_plain(character)) {
      escaped += character;
    } else {
      escaped += '%' + encode_hex(bytes_of(std::string_view(&character, 1)));
    }
  }
  return escaped.empty() ? "%" : escaped;
}

std::uint64_t number_of(std::string_view digits, int base) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  require_line(!digits.empty() && error == std::errc() && end == digits.data() + digits.size());
  return number;
}

// The escaped empty name is "%" alone: no field of a line is empty.
std::string unescape(std::string_view escaped) {
  std::string name;
  if (escaped == "%") return name;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] != '%') {
      name += escaped[i];
      continue;
    }
    require_line(i + 2 < escaped.size());
    name += static_cast<char>(number_of(escaped.substr(i + 1, 2), 16));
    i += 2;
  }
  return name;
}

// Reads a name below a folder, which does not lead out of it.
std::string name_below(std::string_view escaped) {
  std::string name = unescape(escaped);
  require_line(!name.empty() && name.front() != '/' && name.back() != '/' && name.find('\0') == std::string::npos);
  const std::string framed = '/' + name + '/';
  require_line(framed.find("/../") == std::string::npos && framed.find("/./") == std::string::npos &&
               framed.find("//") == std::string::npos);
  return name;
}

std::string words_of(const timespec& time) {
  std::string nanoseconds = std::to_string(time.tv_nsec);
  nanoseconds.insert(0, 9 - std::min<std::size_t>(9, nanoseconds.size()), '0');
  return std::to_string(time.tv_sec) + '.' + nanoseconds;
}

timespec time_of(std::string_view words) {
  const std::size_t point = words.find('.');
  require_line(point != std::string_view::npos && words.size() == point + 10);
  const bool is_negative = words.starts_with('-');
  const std::uint64_t seconds = number_of(words.substr(is_negative ? 1 : 0, point - (is_negative ? 1 : 0)));
  const std::uint64_t nanoseconds = number_of(words.substr(point + 1));
  require_line(seconds <= INT64_MAX && nanoseconds < nanoseconds_of_second);
  const auto signed_seconds = static_cast<time_t>(seconds);
  return {.tv_sec = is_negative ? -signed_seconds : signed_seconds, .tv_nsec = static_cast<long>(nanoseconds)};
}

std::string words_of(const LastingIdentity& identity) {
  return std::to_string(identity.inode) + ' ' + (identity.born ? words_of(*identity.born) : "-");
}

LastingIdentity identity_of(std::string_view inode, std::string_view born) {
  LastingIdentity identity{.inode = number_of(inode)};
  if (born != "-") identity.born = time_of(born);
  return identity;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t space = line.find(' ');
    fields.push_back(line.substr(0, space));
    if (space == std::string_view::npos) return fields;
    line.remove_prefix(space + 1);
  }
}

}  // namespace phalanx
