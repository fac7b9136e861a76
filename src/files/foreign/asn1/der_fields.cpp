#include "files/foreign/asn1/der_fields.hpp"

#include <phalanx/error.hpp>

#include "files/foreign/asn1/ber_stream.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_nested_pieces = 8;  // of an octet string in pieces of pieces

[[noreturn]] void refuse() {
  throw Error(ErrorCode::format, "the message is damaged, or of a later version: a field is not what its standard says");
}

void append_octets(Bytes pieces, std::size_t depth, std::vector<std::uint8_t>& octets) {
  if (depth == most_nested_pieces) refuse();
  for (DerFields fields(pieces); !fields.is_at_end();) {
    if (const std::optional<Bytes> part = fields.take_if(ber::octet_string)) {
      octets.insert(octets.end(), part->begin(), part->end());
    } else {
      append_octets(fields.take(ber::octet_string | ber::constructed_bit), depth + 1, octets);
    }
  }
}

}  // namespace

DerFields::Element DerFields::next() const {
  constexpr std::size_t least_header_bytes = 2, most_length_octets = 4;
  if (left_.size() < least_header_bytes) refuse();
  std::size_t header_bytes = least_header_bytes;
  std::size_t num_bytes = left_[1];
  if (num_bytes >= 0x80) {
    const std::size_t num_octets = num_bytes & 0x7f;
    if (num_octets == 0 || num_octets > most_length_octets || left_.size() < header_bytes + num_octets) refuse();
    num_bytes = 0;
    for (std::size_t i = 0; i < num_octets; ++i) num_bytes = num_bytes << 8 | left_[header_bytes + i];
    header_bytes += num_octets;
  }
  if (num_bytes > left_.size() - header_bytes) refuse();
  return {.whole = left_.first(header_bytes + num_bytes), .content = left_.subspan(header_bytes, num_bytes)};
}

Bytes DerFields::take_whole() {
  const Element element = next();
  left_ = left_.subspan(element.whole.size());
  return element.whole;
}

std::optional<Bytes> DerFields::take_if(std::uint8_t tag) {
  if (!is_next(tag)) return std::nullopt;
  const Element element = next();
  left_ = left_.subspan(element.whole.size());
  return element.content;
}

Bytes DerFields::take(std::uint8_t tag) {
  const std::optional<Bytes> content = take_if(tag);
  if (!content) refuse();
  return *content;
}

std::vector<std::uint8_t> DerFields::take_octets(std::uint8_t primitive_tag) {
  if (const std::optional<Bytes> content = take_if(primitive_tag)) return {content->begin(), content->end()};
  std::vector<std::uint8_t> octets;
  append_octets(take(primitive_tag | ber::constructed_bit), 0, octets);
  return octets;
}

std::uint64_t DerFields::take_number() {
  constexpr std::size_t most_bytes = 8;
  Bytes content = take(ber::integer);
  if (content.empty() || content.front() >= 0x80) refuse();
  if (content.size() > 1 && content.front() == 0) content = content.subspan(1);
  if (content.size() > most_bytes) refuse();
  std::uint64_t number = 0;
  for (const std::uint8_t byte : content) number = number << 8 | byte;
  return number;
}

void DerFields::require_end() const {
  if (!is_at_end()) refuse();
}

}  // namespace phalanx
