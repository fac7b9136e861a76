#include "files/age/age_stanza.hpp"

#include <algorithm>
#include <phalanx/error.hpp>
#include <utility>

#include "files/age/raw_base64.hpp"

namespace phalanx {
namespace {

constexpr std::string_view start = "-> ";
constexpr std::size_t line_characters = 64;

[[noreturn]] void fail(const char* why) { throw Error(ErrorCode::format, std::string("a stanza is malformed: ") + why); }

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) fail("its last line does not end");
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

std::vector<std::string> arguments_of(std::string_view line) {
  if (!line.starts_with(start)) fail("it does not begin with \"-> \"");
  line.remove_prefix(start.size());
  std::vector<std::string> arguments;
  for (;;) {
    const std::size_t space = line.find(' ');
    const std::string_view argument = line.substr(0, space);
    if (!is_age_argument(argument)) fail("an argument is empty, or holds what is no visible character of ASCII");
    arguments.emplace_back(argument);
    if (space == std::string_view::npos) return arguments;
    line.remove_prefix(space + 1);
  }
}

}  // namespace

bool is_age_argument(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > 32 && c < 127; });
}

std::optional<std::size_t> first_stanza_bytes(std::string_view text) {
  std::size_t end = text.find('\n');
  while (end != std::string_view::npos) {
    const std::size_t next = text.find('\n', end + 1);
    if (next == std::string_view::npos) return std::nullopt;
    if (next - end - 1 < line_characters) return next + 1;
    end = next;
  }
  return std::nullopt;
}

AgeStanza read_age_stanza(std::string_view& text) {
  std::string_view rest = text;
  AgeStanza stanza{arguments_of(take_line(rest)), {}};
  SecretBytes characters(rest.size());
  std::size_t num_characters = 0;
  for (std::size_t length = line_characters; length == line_characters;) {
    const std::string_view line = take_line(rest);
    length = line.size();
    if (length > line_characters) fail("a line of its body is longer than 64 characters");
    std::copy(line.begin(), line.end(), characters.begin() + num_characters);
    num_characters += length;
  }
  std::optional<SecretBytes> body = decode_raw_base64(characters_of(Bytes(characters).first(num_characters)));
  if (!body) fail("its body is no canonical base64 without padding");
  stanza.body = std::move(*body);
  text = rest;
  return stanza;
}

SecretBytes age_stanza_text(const std::vector<std::string_view>& arguments, Bytes body) {
  if (arguments.empty() || !std::ranges::all_of(arguments, is_age_argument)) {
    throw Error(ErrorCode::usage, "an argument of a stanza is 1 or more visible characters of ASCII");
  }
  std::size_t line_bytes = start.size();
  for (const std::string_view argument : arguments) line_bytes += argument.size() + 1;
  const std::size_t num_characters = raw_base64_characters(body.size());
  SecretBytes characters(num_characters);
  encode_raw_base64(body, characters.data());
  SecretBytes text(line_bytes + num_characters + num_characters / line_characters + 1);
  std::uint8_t* out = std::copy(start.begin(), start.end(), text.begin());
  for (const std::string_view argument : arguments) {
    out = std::copy(argument.begin(), argument.end(), out);
    *out++ = ' ';
  }
  out[-1] = '\n';
  for (std::size_t i = 0;; i += line_characters) {
    const std::size_t length = std::min(line_characters, num_characters - i);
    out = std::copy_n(characters.begin() + i, length, out);
    *out++ = '\n';
    if (length < line_characters) return text;
  }
}

}  // namespace phalanx
