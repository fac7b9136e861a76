// This header reads fields out of bytes that may end anywhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string_view>

namespace phalanx {

/// Says whether the text stands at an offset.
[[nodiscard]] inline bool has_at(Bytes data, std::size_t offset, std::string_view text) {
  return data.size() >= offset && data.size() - offset >= text.size() &&
         std::ranges::equal(data.subspan(offset, text.size()), bytes_of(text));
}

[[nodiscard]] inline std::uint64_t big_endian(Bytes bytes) {
  std::uint64_t number = 0;
  for (const std::uint8_t byte : bytes) number = number << 8 | byte;
  return number;
}

[[nodiscard]] inline std::uint64_t little_endian(Bytes bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | bytes[i];
  return number;
}

[[nodiscard]] inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Takes one field after another. A field that is not there whole is nothing, and stays.
class FieldReader {
 public:
  explicit FieldReader(Bytes data) : left_(data) {}

  [[nodiscard]] Bytes left() const { return left_; }
  [[nodiscard]] bool is_at_end() const { return left_.empty(); }

  std::optional<Bytes> take(std::uint64_t num_bytes) {
    if (num_bytes > left_.size()) return std::nullopt;
    const Bytes taken = left_.first(static_cast<std::size_t>(num_bytes));
    left_ = left_.subspan(taken.size());
    return taken;
  }
  bool skip(std::uint64_t num_bytes) { return take(num_bytes).has_value(); }

  /// Takes a number of at most 8 bytes.
  std::optional<std::uint64_t> big(std::size_t num_bytes) {
    const std::optional<Bytes> bytes = take(num_bytes);
    return bytes ? std::optional(big_endian(*bytes)) : std::nullopt;
  }
  std::optional<std::uint64_t> little(std::size_t num_bytes) {
    const std::optional<Bytes> bytes = take(num_bytes);
    return bytes ? std::optional(little_endian(*bytes)) : std::nullopt;
  }

 private:
  Bytes left_;
};

}  // namespace phalanx
