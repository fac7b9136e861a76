#include "files/age/raw_base64.hpp"

#include <cstdint>

namespace phalanx {
namespace {

// Returns all ones where low <= x <= high, and else 0.
constexpr std::uint32_t within(std::uint32_t x, std::uint32_t low, std::uint32_t high) {
  return (((x - low) | (high - x)) >> 31) - 1;
}

// RFC 4648, table 1.
constexpr std::uint8_t character_of(std::uint32_t value) {
  std::uint32_t c = within(value, 0, 25) & ('A' + value);
  c |= within(value, 26, 51) & ('a' + value - 26);
  c |= within(value, 52, 61) & ('0' + value - 52);
  c |= within(value, 62, 62) & '+';
  c |= within(value, 63, 63) & '/';
  return static_cast<std::uint8_t>(c);
}

// The value, or 64 for what is no character of the alphabet.
constexpr std::uint32_t value_of(std::uint32_t c) {
  const std::uint32_t capital = within(c, 'A', 'Z'), small = within(c, 'a', 'z'), digit = within(c, '0', '9');
  const std::uint32_t plus = within(c, '+', '+'), slash = within(c, '/', '/');
  const std::uint32_t value =
      (capital & (c - 'A')) | (small & (c - 'a' + 26)) | (digit & (c - '0' + 52)) | (plus & 62U) | (slash & 63U);
  return value | (~(capital | small | digit | plus | slash) & 64U);
}

}  // namespace

void encode_raw_base64(Bytes bytes, std::uint8_t* out) {
  std::uint32_t bits = 0, num_bits = 0;
  for (const std::uint8_t byte : bytes) {
    bits = (bits << 8 | byte) & 0xffff;
    for (num_bits += 8; num_bits >= 6;) {
      num_bits -= 6;
      *out++ = character_of(bits >> num_bits & 63);
    }
  }
  if (num_bits != 0) *out = character_of(bits << (6 - num_bits) & 63);
}

std::optional<SecretBytes> decode_raw_base64(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  SecretBytes bytes(text.size() * 6 / 8);
  std::uint32_t bits = 0, num_bits = 0, wrong = 0;
  std::size_t place = 0;
  for (const char character : text) {
    const std::uint32_t value = value_of(static_cast<std::uint8_t>(character));
    wrong |= value & 64U;
    bits = (bits << 6 | (value & 63U)) & 0xffff;
    num_bits += 6;
    if (num_bits < 8) continue;
    num_bits -= 8;
    bytes.data()[place++] = static_cast<std::uint8_t>(bits >> num_bits);
  }
  wrong |= bits & ((1U << num_bits) - 1);
  if (wrong != 0) return std::nullopt;
  return bytes;
}

}  // namespace phalanx
