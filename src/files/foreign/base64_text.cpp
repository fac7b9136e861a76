#include "files/foreign/base64_text.hpp"

#include <algorithm>
#include <phalanx/error.hpp>
#include <string>

#include "engine/text/base64.hpp"

namespace phalanx {
namespace {

constexpr std::size_t least_word_characters = 16;  // of words with spaces between them

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

bool is_blank(char character) { return character == ' ' || character == '\t'; }
bool is_line_end(char character) { return character == '\n' || character == '\r'; }

// Says whether spaces and tabs stand only about lines, or part words of one length, as line ends would.
bool is_laid_out_as_base64(std::string_view text) {
  bool is_within_line = false;
  std::size_t length = 0, last_length = 0;
  bool are_equal = true, has_spaces_within = false;
  for (std::size_t at = 0; at < text.size();) {
    if (is_blank(text[at]) || is_line_end(text[at])) {
      is_within_line = is_within_line && !is_line_end(text[at]);
      ++at;
      continue;
    }
    const auto* const word_end =
        std::find_if(text.begin() + at, text.end(), [](char c) { return is_blank(c) || is_line_end(c); });
    const auto end = static_cast<std::size_t>(word_end - text.begin());
    has_spaces_within = has_spaces_within || is_within_line;
    are_equal = are_equal && (length == 0 || last_length == length);
    last_length = end - at;
    if (length == 0) length = last_length;
    is_within_line = true;
    at = end;
  }
  return !has_spaces_within || (are_equal && length >= least_word_characters && last_length <= length);
}

std::optional<std::vector<std::uint8_t>> decode(Bytes text) {
  std::vector<std::uint8_t> decoded(Base64Decoder::max_update_bytes(text.size()));
  try {
    decoded.resize(Base64Decoder().update(text, decoded));
  } catch (const Error&) {
    return std::nullopt;
  }
  return decoded;
}

// English words have no digits, and few names have capital letters, small letters and digits.
bool is_mixed(std::string_view text) {
  const auto has = [&](char first, char last) {
    return std::ranges::any_of(text, [=](char c) { return c >= first && c <= last; });
  };
  const auto num_blanks = std::ranges::count_if(text, [](char c) { return is_blank(c) || is_line_end(c); });
  const std::size_t num_characters = text.size() - static_cast<std::size_t>(num_blanks);
  return num_characters >= surely_base64_bytes && has('A', 'Z') && has('a', 'z') && has('0', '9');
}

}  // namespace

std::optional<Base64Text> read_base64(Bytes beginning, Base64Alphabet alphabet) {
  if (beginning.empty()) return std::nullopt;
  std::string text(text_of(beginning));
  if (alphabet == Base64Alphabet::url_safe) {
    if (text.find_first_of("+/") != text.npos || text.find_first_of("-_") == text.npos) return std::nullopt;
    std::ranges::replace(text, '-', '+');
    std::ranges::replace(text, '_', '/');
  }
  std::optional<std::vector<std::uint8_t>> decoded = decode(bytes_of(text));
  if (!decoded) return std::nullopt;
  if (!text_of(*decoded).starts_with("Salted__") && !is_laid_out_as_base64(text)) return std::nullopt;
  return Base64Text{.decoded = *std::move(decoded), .is_likely = is_mixed(text)};
}

bool begins_as_salted_base64(Bytes beginning) {
  constexpr std::string_view in_base64 = "U2FsdGVkX1";  // the next character has the last 4 bits
  std::size_t num_found = 0;
  for (const char character : text_of(beginning)) {
    if (num_found == in_base64.size()) break;
    if (is_blank(character) || is_line_end(character)) continue;
    if (character != in_base64[num_found]) return false;
    ++num_found;
  }
  return num_found == in_base64.size();
}

std::vector<std::uint8_t> decode_base64_before(std::string_view text, std::string_view end_mark) {
  text = text.substr(0, text.find(end_mark));
  std::vector<std::uint8_t> decoded(Base64Decoder::max_update_bytes(text.size()));
  try {
    decoded.resize(Base64Decoder().update(bytes_of(text), decoded));
  } catch (const Error&) {
    decoded.clear();
  }
  return decoded;
}

}  // namespace phalanx
