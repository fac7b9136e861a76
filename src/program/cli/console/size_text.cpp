#include "program/cli/console/size_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace phalanx {
namespace {

constexpr std::pair<char, unsigned> suffixes[] = {{'T', 40}, {'G', 30}, {'M', 20}, {'K', 10}};

}  // namespace

std::optional<std::uint64_t> parse_bytes(std::string_view text, std::uint64_t most_bytes) {
  unsigned shift = 0;
  for (const auto& [suffix, bits] : suffixes) {
    if (!text.empty() && (text.back() & ~0x20) == suffix) shift = bits;
  }
  if (shift != 0) text.remove_suffix(1);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (number > most_bytes >> shift) return std::nullopt;
  return number << shift;
}

std::optional<std::size_t> parse_size(std::string_view text, std::size_t most_bytes) {
  const auto size = parse_bytes(text, most_bytes);
  return size == 0 ? std::nullopt : size;
}

std::string size_text(std::size_t num_bytes) {
  for (const auto& [suffix, bits] : suffixes) {
    if (num_bytes >> bits != 0 && num_bytes % (std::size_t{1} << bits) == 0)
      return fmt::format("{}{}", num_bytes >> bits, suffix);
  }
  return fmt::to_string(num_bytes);
}

}  // namespace phalanx
