#include "engine/text/hex.hpp"

#include <cstddef>
#include <cstdint>
#include <phalanx/error.hpp>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

constexpr std::uint32_t not_a_digit = 0x100;

// `value` if first <= character <= last, else 0; without a branch, since the digits may be a key.
std::uint32_t value_if_between(std::uint32_t character, char first, char last, std::uint32_t value) {
  const std::uint32_t below = (character - static_cast<std::uint32_t>(first)) >> 31;
  const std::uint32_t above = (static_cast<std::uint32_t>(last) - character) >> 31;
  return value & ((below | above) - 1U);
}

// Returns 0 to 15, or not_a_digit. The ranges are disjoint, so that at most one of the three values is not zero. Each
// value carries a flag above its four bits that tells the digit 0 from no digit.
std::uint32_t digit_value(char digit) {
  const std::uint32_t character = static_cast<std::uint8_t>(digit);
  const std::uint32_t flagged = value_if_between(character, '0', '9', (character - '0') | not_a_digit) |
                                value_if_between(character, 'a', 'f', (character - 'a' + 10) | not_a_digit) |
                                value_if_between(character, 'A', 'F', (character - 'A' + 10) | not_a_digit);
  return flagged ^ not_a_digit;
}

bool is_line_end(char character) { return character == '\n' || character == '\r'; }
bool is_space(char character) { return character == ' ' || character == '\t'; }

// A text is made of these: digits, "0x" before them, and others.
struct DigitCount {
  std::size_t num_digits = 0;
  std::size_t num_line_ends = 0, num_spaces = 0, num_separators = 0;
  char separator = 0;           // the last one
  std::size_t other_place = 0;  // the first character that separates no digits, from 1; 0 if there is none
  bool has_prefix = false;
};

DigitCount count_digits(std::string_view text) {
  constexpr std::string_view separators = ":-,;._";
  DigitCount count;
  count.has_prefix = text.starts_with("0x") || text.starts_with("0X");
  for (std::size_t i = count.has_prefix ? 2 : 0; i < text.size(); ++i) {
    const char character = text[i];
    if (digit_value(character) != not_a_digit) {
      ++count.num_digits;
    } else if (is_line_end(character)) {
      ++count.num_line_ends;
    } else if (is_space(character)) {
      ++count.num_spaces;
    } else if (separators.find(character) != separators.npos) {
      ++count.num_separators;
      count.separator = character;
    } else if (count.other_place == 0) {
      count.other_place = i + 1;
    }
  }
  return count;
}

// "64 hex digits, with line ends among them": of a secret, only what separates digits is repeated.
std::string describe(const DigitCount& count) {
  std::string what = std::to_string(count.num_digits) + " hex digits" + (count.num_digits % 2 != 0 ? ", an odd number" : "");
  const auto add = [&](bool is_there, const std::string& others) {
    if (is_there) what += ", with " + others;
  };
  add(count.has_prefix, "'0x' before them");
  add(count.num_line_ends != 0, "line ends among them");
  add(count.num_spaces != 0, "spaces among them");
  add(count.num_separators != 0, std::string("'") + count.separator + "' among them");
  return what;
}

[[noreturn]] void refuse_digits(std::string_view text, std::string_view what, std::size_t num_bytes) {
  const std::string subject(what);
  const DigitCount count = count_digits(text);
  if (count.other_place != 0) {
    throw Error(ErrorCode::usage, subject + " holds a character that is not a hex digit, at place " +
                                      std::to_string(count.other_place) + ": use 0-9 and a-f only");
  }
  const bool is_enough = count.num_digits == 2 * num_bytes;
  throw Error(ErrorCode::usage, subject + " has " + describe(count) + "; give " + std::to_string(2 * num_bytes) + " (" +
                                    std::to_string(num_bytes) + " bytes)" + (is_enough ? " and nothing else" : ""));
}

}  // namespace

void decode_hex(std::string_view digits, std::string_view what, MutableBytes out) {
  if (digits.size() != 2 * out.size()) {
    wipe_memory(out.data(), out.size());
    refuse_digits(digits, what, out.size());
  }
  std::uint32_t wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint32_t high = digit_value(digits[2 * i]);
    const std::uint32_t low = digit_value(digits[2 * i + 1]);
    wrong |= (high | low) & not_a_digit;
    out[i] = static_cast<std::uint8_t>((high << 4) | low);
  }
  if (wrong != 0) {
    wipe_memory(out.data(), out.size());
    refuse_digits(digits, what, out.size());
  }
}

bool are_hex_digits(std::string_view text) {
  std::uint32_t wrong = 0;
  for (const char character : text) wrong |= digit_value(character) & not_a_digit;
  return wrong == 0;
}

std::string describe_hex_text(std::string_view text) {
  const DigitCount count = count_digits(text.substr(0, text.find_last_not_of("\r\n") + 1));
  return count.num_digits == 0 || count.other_place != 0 ? "" : describe(count);
}

SecretBytes hex_line_of_secret(Bytes secret) {
  SecretBytes line(2 * secret.size() + 1);
  const auto digit = [](unsigned value) {
    const unsigned above_nine = (9U - value) >> 31;
    return static_cast<std::uint8_t>('0' + value + above_nine * ('a' - '0' - 10));
  };
  for (std::size_t i = 0; i < secret.size(); ++i) {
    line.data()[2 * i] = digit(secret[i] >> 4);
    line.data()[2 * i + 1] = digit(secret[i] & 15U);
  }
  line.data()[2 * secret.size()] = '\n';
  return line;
}

std::string encode_hex(Bytes bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15U];
  }
  return text;
}

}  // namespace phalanx
