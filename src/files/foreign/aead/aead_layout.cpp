#include "files/foreign/aead/aead_layout.hpp"

#include <phalanx/error.hpp>

#include "files/system/file_descriptor.hpp"

namespace phalanx {
namespace {

std::vector<std::uint8_t> read_part(const Input& input, std::uint64_t position, std::size_t num_bytes) {
  std::vector<std::uint8_t> part(num_bytes);
  if (read_at(input.descriptor(), part, position, input.name()) == num_bytes) return part;
  throw Error(ErrorCode::runtime, input.name() + " became shorter while it was read");
}

std::string describe_missing(const AeadLayout& layout) {
  const std::string nonce = "its nonce of " + std::to_string(layout.nonce_bytes) + " bytes";
  const std::string tag = "its tag of " + std::to_string(layout.tag_bytes) + " bytes";
  if (!layout.has_tag()) return nonce;
  return layout.begins_with_nonce() ? nonce + " and " + tag : tag;
}

}  // namespace

std::size_t AeadLayout::front_bytes() const {
  return (begins_with_nonce() ? nonce_bytes : 0) + (has_tag() && tag_first ? tag_bytes : 0);
}

std::size_t AeadLayout::back_bytes() const { return has_tag() && !tag_first ? tag_bytes : 0; }

AeadParts find_aead_parts(const AeadLayout& layout, const Input& input) {
  const std::uint64_t start = input.position(), num_bytes = input.remaining_bytes().value_or(0);
  const std::size_t front = layout.front_bytes(), back = layout.back_bytes();
  if (num_bytes < front + back) {
    throw Error(ErrorCode::truncated, "the message is cut short: " + input.name() + " has " + std::to_string(num_bytes) +
                                          " bytes, which are less than " + describe_missing(layout));
  }
  AeadParts parts{
      .nonce = layout.nonce, .tag = layout.tag, .position = start + front, .num_bytes = num_bytes - front - back};
  if (layout.begins_with_nonce()) parts.nonce = read_part(input, start, layout.nonce_bytes);
  if (layout.has_tag()) {
    const std::uint64_t tag = layout.tag_first ? parts.position - layout.tag_bytes : parts.position + parts.num_bytes;
    parts.tag = read_part(input, tag, layout.tag_bytes);
  }
  return parts;
}

}  // namespace phalanx
