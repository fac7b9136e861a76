#include "engine/text/base64.hpp"

#include <algorithm>
#include <phalanx/error.hpp>
#include <string>
#include <string_view>

namespace phalanx {
namespace {

// RFC 4648, table 1.
constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::uint8_t white_space = 0x40;
constexpr std::uint8_t equals_sign = 0x41;
constexpr std::uint8_t bad_character = 0x42;

// Makes the table of each byte's six bits, or of one of the three classes above.
constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(bad_character);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    values[static_cast<std::uint8_t>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  for (const char space : {' ', '\t', '\r', '\n'}) values[static_cast<std::uint8_t>(space)] = white_space;
  values['='] = equals_sign;
  return values;
}
constexpr std::array<std::uint8_t, 256> values = make_values();

[[noreturn]] void throw_bad_base64(std::uint64_t position, const char* reason) {
  throw Error(ErrorCode::format, "bad base64 at byte " + std::to_string(position) + ": " + reason,
              {.name = {}, .offset = position});
}

}  // namespace

std::size_t Base64Encoder::put_group(const std::uint8_t* three_bytes, std::uint8_t* out) {
  const std::uint32_t bits =
      static_cast<std::uint32_t>(three_bytes[0]) << 16 | static_cast<std::uint32_t>(three_bytes[1]) << 8 | three_bytes[2];
  for (unsigned i = 0; i < 4; ++i) out[i] = static_cast<std::uint8_t>(alphabet[(bits >> (18 - 6 * i)) & 63U]);
  column_ += 4;
  if (column_ < line_characters) return 4;
  out[4] = '\n';
  column_ = 0;
  return 5;
}

std::size_t Base64Encoder::update(Bytes in, MutableBytes out) {
  std::size_t written = 0;
  if (num_pending_ != 0) {
    const std::size_t taken = std::min(3 - num_pending_, in.size());
    std::copy_n(in.begin(), taken, pending_.begin() + static_cast<std::ptrdiff_t>(num_pending_));
    num_pending_ += taken;
    in = in.subspan(taken);
    if (num_pending_ < 3) return 0;
    written = put_group(pending_.data(), out.data());
  }
  for (; in.size() >= 3; in = in.subspan(3)) written += put_group(in.data(), out.data() + written);
  std::ranges::copy(in, pending_.begin());
  num_pending_ = in.size();
  return written;
}

std::size_t Base64Encoder::finish(MutableBytes out) {
  std::size_t written = 0;
  if (num_pending_ != 0) {
    std::fill(pending_.begin() + static_cast<std::ptrdiff_t>(num_pending_), pending_.end(), std::uint8_t{0});
    written = put_group(pending_.data(), out.data());
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(num_pending_) + 1, out.begin() + 4, std::uint8_t{'='});
  }
  if (column_ != 0) out[written++] = '\n';
  *this = Base64Encoder();
  return written;
}

void Base64Decoder::put_character(std::uint8_t character) {
  const std::uint8_t value = values[character];
  if (value == white_space) return;
  if (value == bad_character) throw_bad_base64(position_, "not a character of the alphabet");
  if (num_characters_ == 0 && num_equals_ != 0) throw_bad_base64(position_, "there is more after the padding");
  if (value == equals_sign) {
    if (num_characters_ < 2) throw_bad_base64(position_, "'=' in the wrong place");
    ++num_equals_;
  } else if (num_equals_ != 0) {
    throw_bad_base64(position_, "there is more after the padding");
  }
  group_ = group_ << 6 | (value == equals_sign ? 0U : value);
  ++num_characters_;
}

std::size_t Base64Decoder::take_group(std::uint8_t* out) {
  const unsigned num_bytes = 3 - num_equals_;
  // RFC 4648 section 3.5: bits of the last character that belong to no byte are zero.
  if ((group_ & ((1U << (8 * num_equals_)) - 1)) != 0) throw_bad_base64(position_, "the padding's spare bits are not zero");
  for (unsigned i = 0; i < num_bytes; ++i) out[i] = static_cast<std::uint8_t>(group_ >> (16 - 8 * i));
  group_ = 0;
  num_characters_ = 0;
  return num_bytes;
}

std::size_t Base64Decoder::update(Bytes in, MutableBytes out) {
  std::size_t written = 0;
  std::size_t i = 0;
  while (i < in.size()) {
    // Whole groups of plain characters, which is nearly everything, in one step.
    while (num_characters_ == 0 && num_equals_ == 0 && in.size() - i >= 4) {
      const std::uint32_t v0 = values[in[i]], v1 = values[in[i + 1]], v2 = values[in[i + 2]], v3 = values[in[i + 3]];
      if ((v0 | v1 | v2 | v3) >= 64) break;
      group_ = v0 << 18 | v1 << 12 | v2 << 6 | v3;
      written += take_group(out.data() + written);
      i += 4;
      position_ += 4;
    }
    if (i == in.size()) break;
    put_character(in[i]);
    if (num_characters_ == 4) written += take_group(out.data() + written);
    ++i;
    ++position_;
  }
  return written;
}

void Base64Decoder::finish() const {
  if (num_characters_ != 0) {
    throw Error(ErrorCode::truncated, "base64 ends inside a group of four characters, at byte " + std::to_string(position_) +
                                          "; the input is cut short");
  }
}

}  // namespace phalanx
