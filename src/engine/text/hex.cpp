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

// 0 to 15, or not_a_digit. The ranges are disjoint, so that at most one of the three values is not zero; each carries
// a flag above its four bits that tells the digit 0 from no digit.
std::uint32_t digit_value(char digit) {
  const std::uint32_t character = static_cast<std::uint8_t>(digit);
  const std::uint32_t flagged = value_if_between(character, '0', '9', (character - '0') | not_a_digit) |
                                value_if_between(character, 'a', 'f', (character - 'a' + 10) | not_a_digit) |
                                value_if_between(character, 'A', 'F', (character - 'A' + 10) | not_a_digit);
  return flagged ^ not_a_digit;
}

}  // namespace

void decode_hex(std::string_view digits, std::string_view what, MutableBytes out) {
  const std::string subject(what);
  if (digits.size() != 2 * out.size()) {
    wipe_memory(out.data(), out.size());
    throw Error(ErrorCode::usage, subject + " has " + std::to_string(digits.size()) + " hex digits" +
                                      (digits.size() % 2 != 0 ? ", an odd number" : "") + "; give " +
                                      std::to_string(2 * out.size()) + " (" + std::to_string(out.size()) + " bytes)");
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
    throw Error(ErrorCode::usage, subject + " holds a character that is not a hex digit; use 0-9 and a-f only");
  }
}

bool are_hex_digits(std::string_view text) {
  std::uint32_t wrong = 0;
  for (const char character : text) wrong |= digit_value(character) & not_a_digit;
  return wrong == 0;
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
