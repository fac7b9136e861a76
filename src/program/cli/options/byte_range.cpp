#include "program/cli/options/byte_range.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <phalanx/error.hpp>
#include <string_view>
#include <vector>

#include "engine/library/argument_checks.hpp"
#include "program/cli/console/size_text.hpp"

namespace phalanx {
namespace {

constexpr std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();

[[noreturn]] void throw_too_short(const Input& input, std::uint64_t num_bytes, std::uint64_t num_there) {
  throw Error(ErrorCode::truncated, input.name() + " has " + text_of(num_there) + ", and " + std::to_string(num_bytes) +
                                        " of them were to be skipped");
}

}  // namespace

Slice parse_range(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string_view whole = text;
  const auto offset = parse_bytes(whole.substr(0, colon), most_bytes);
  const std::string_view length = colon == std::string::npos ? "x" : whole.substr(colon + 1);
  const auto num_bytes = length.empty() ? std::nullopt : parse_bytes(length, most_bytes);
  if (!offset || (!length.empty() && !num_bytes)) {
    throw Error(ErrorCode::usage,
                "--range is OFFSET:LENGTH, two numbers of bytes such as 4096 or 4K, or OFFSET: for all to the end");
  }
  return {.offset = *offset, .num_bytes = num_bytes};
}

std::uint64_t parse_skip(const std::string& text) {
  if (const auto num_bytes = parse_bytes(text, most_bytes)) return *num_bytes;
  throw Error(ErrorCode::usage, "--skip is a number of bytes, such as 4096 or 16M");
}

void skip_bytes(Input& input, std::uint64_t num_bytes) {
  if (const std::optional<std::uint64_t> there = input.remaining_bytes()) {
    if (*there < num_bytes) throw_too_short(input, num_bytes, *there);
    return input.seek(input.position() + num_bytes);
  }
  std::vector<std::uint8_t> buffer(static_cast<std::size_t>(std::min<std::uint64_t>(num_bytes, std::uint64_t{1} << 20)));
  for (std::uint64_t skipped = 0; skipped < num_bytes;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(num_bytes - skipped, buffer.size()));
    const std::size_t got = input.read(MutableBytes(buffer).first(wanted));
    skipped += got;
    if (got < wanted) throw_too_short(input, num_bytes, skipped);
  }
}

}  // namespace phalanx
