#include "files/age/bech32.hpp"

#include <algorithm>
#include <array>
#include <phalanx/error.hpp>

#include "engine/text/characters.hpp"

namespace phalanx {
namespace {

// BIP 173, "Bech32", lists the characters of the values 0 to 31.
constexpr std::string_view characters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
constexpr std::size_t checksum_characters = 6;

[[noreturn]] void fail(const char* why) { throw Error(ErrorCode::format, std::string("this is no Bech32: ") + why); }

// Returns 1 where a equals b, and else 0. Both are below 2^31.
constexpr std::uint32_t is_equal(std::uint32_t a, std::uint32_t b) { return ((a ^ b) - 1) >> 31; }

// Returns 1 where low <= c <= high, and else 0.
constexpr std::uint32_t is_within(std::uint32_t c, char low, char high) {
  const std::uint32_t below = (c - static_cast<std::uint32_t>(low)) >> 31;
  const std::uint32_t above = (static_cast<std::uint32_t>(high) - c) >> 31;
  return (below | above) ^ 1;
}

// All of the alphabet is looked at, whatever the value.
std::uint8_t character_of(std::uint32_t value) {
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < characters.size(); ++i) {
    found |= (0 - is_equal(i, value)) & static_cast<std::uint32_t>(characters[i]);
  }
  return static_cast<std::uint8_t>(found);
}

// The value, or 32 and more for what is no character of the alphabet, of a lower-case character.
std::uint32_t value_of(std::uint32_t character) {
  std::uint32_t value = 0, is_any = 0;
  for (std::uint32_t i = 0; i < characters.size(); ++i) {
    const std::uint32_t equal = is_equal(static_cast<std::uint32_t>(characters[i]), character);
    value |= (0 - equal) & i;
    is_any |= equal;
  }
  return value | (is_any ^ 1) << 5;
}

// This is the BCH code of BIP 173, "Checksum".
class Checksum {
 public:
  explicit Checksum(std::string_view lower_prefix) {
    for (const char c : lower_prefix) add(static_cast<std::uint8_t>(c) >> 5);
    add(0);
    for (const char c : lower_prefix) add(static_cast<std::uint8_t>(c) & 31U);
  }
  void add(std::uint32_t value) {
    constexpr std::array<std::uint32_t, 5> generator = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3};
    const std::uint32_t top = state_ >> 25;
    state_ = (state_ & 0x1ffffff) << 5 ^ value;
    for (std::uint32_t i = 0; i < generator.size(); ++i) state_ ^= (0 - (top >> i & 1)) & generator[i];
  }
  [[nodiscard]] std::uint32_t state() const { return state_; }

 private:
  std::uint32_t state_ = 1;
};

bool has_capitals(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool has_small_letters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
}

void check_prefix(std::string_view prefix) {
  if (prefix.empty()) fail("nothing stands before its last '1'");
  if (std::ranges::any_of(prefix, [](char c) { return c < 33 || c > 126; })) fail("it has a character that is none of it");
  if (has_capitals(prefix) && has_small_letters(prefix)) fail("it mixes capital and small letters");
}

// Returns the values of the characters of data and checksum. It looks at all of them before it judges whether any is
// wrong.
SecretBytes values_of(std::string_view text, bool is_upper) {
  SecretBytes values(text.size());
  std::uint32_t wrong_case = 0, wrong = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<std::uint32_t>(static_cast<std::uint8_t>(text[i]));
    const std::uint32_t is_capital = is_within(c, 'A', 'Z'), is_small = is_within(c, 'a', 'z');
    wrong_case |= is_upper ? is_small : is_capital;
    const std::uint32_t value = value_of(c | is_capital << 5);
    wrong |= value >> 5;
    values.data()[i] = static_cast<std::uint8_t>(value & 31);
  }
  if (wrong_case != 0) fail("it mixes capital and small letters");
  if (wrong != 0) fail("it has a character that is none of it");
  return values;
}

// Groups of 5 bits become bytes; at most 4 bits are left, all of them zero.
SecretBytes bytes_of_values(Bytes values) {
  const std::size_t spare_bits = values.size() * 5 % 8;
  if (spare_bits >= 5) fail("its data has a character too many");
  SecretBytes bytes(values.size() * 5 / 8);
  std::uint32_t bits = 0, num_bits = 0;
  std::size_t place = 0;
  for (const std::uint8_t value : values) {
    bits = (bits << 5 | value) & 0xfff;
    num_bits += 5;
    if (num_bits < 8) continue;
    num_bits -= 8;
    bytes.data()[place++] = static_cast<std::uint8_t>(bits >> num_bits);
  }
  if ((bits & ((1U << spare_bits) - 1)) != 0) fail("its spare bits are not zero");
  return bytes;
}

SecretBytes values_of_bytes(Bytes bytes) {
  SecretBytes values((bytes.size() * 8 + 4) / 5);
  std::uint32_t bits = 0, num_bits = 0;
  std::size_t place = 0;
  for (const std::uint8_t byte : bytes) {
    bits = (bits << 8 | byte) & 0xfff;
    for (num_bits += 8; num_bits >= 5;) {
      num_bits -= 5;
      values.data()[place++] = static_cast<std::uint8_t>(bits >> num_bits & 31);
    }
  }
  if (num_bits != 0) values.data()[place] = static_cast<std::uint8_t>(bits << (5 - num_bits) & 31);
  return values;
}

}  // namespace

SecretBytes encode_bech32(std::string_view prefix, Bytes data) {
  check_prefix(prefix);
  const bool is_upper = has_capitals(prefix);
  const SecretBytes values = values_of_bytes(data);
  SecretBytes text(prefix.size() + 1 + values.size() + checksum_characters);
  std::uint8_t* out = std::copy(prefix.begin(), prefix.end(), text.begin());
  *out++ = '1';
  Checksum checksum(lower_case(prefix));
  const auto put = [&](std::uint32_t value) {
    const std::uint8_t c = character_of(value);
    *out++ = static_cast<std::uint8_t>(is_upper ? c - (is_within(c, 'a', 'z') << 5) : c);
  };
  for (const std::uint8_t value : values) {
    checksum.add(value);
    put(value);
  }
  for (std::size_t i = 0; i < checksum_characters; ++i) checksum.add(0);
  const std::uint32_t state = checksum.state() ^ 1;
  for (std::uint32_t i = 0; i < checksum_characters; ++i) put(state >> (5 * (5 - i)) & 31);
  return text;
}

Bech32 decode_bech32(std::string_view text) {
  const std::size_t separator = text.rfind('1');
  if (separator == std::string_view::npos) fail("it has no '1'");
  Bech32 decoded;
  check_prefix(text.substr(0, separator));
  decoded.prefix = lower_case(text.substr(0, separator));
  const std::string_view rest = text.substr(separator + 1);
  if (rest.size() < checksum_characters) fail("it ends within its checksum");
  // If the prefix has no letters, the data alone shows the case.
  const bool has_letters = has_capitals(text.substr(0, separator)) || has_small_letters(text.substr(0, separator));
  decoded.is_upper = has_letters ? has_capitals(text.substr(0, separator)) : has_capitals(rest);
  const SecretBytes values = values_of(rest, decoded.is_upper);
  Checksum checksum(decoded.prefix);
  for (const std::uint8_t value : values) checksum.add(value);
  if (checksum.state() != 1) fail("its checksum does not fit: a character is wrong");
  decoded.data = bytes_of_values(Bytes(values).first(values.size() - checksum_characters));
  return decoded;
}

}  // namespace phalanx
