#include "files/foreign/asn1/der_text.hpp"

#include <algorithm>

#include "files/foreign/asn1/der_fields.hpp"

namespace phalanx {

void append_der_header(std::vector<std::uint8_t>& out, std::uint8_t tag, std::size_t num_bytes) {
  constexpr std::size_t least_long = 0x80;
  out.push_back(tag);
  if (num_bytes < least_long) {
    out.push_back(static_cast<std::uint8_t>(num_bytes));
    return;
  }
  unsigned num_octets = 0;
  for (std::size_t left = num_bytes; left != 0; left >>= 8) ++num_octets;
  out.push_back(static_cast<std::uint8_t>(least_long | num_octets));
  for (unsigned i = num_octets; i-- != 0;) out.push_back(static_cast<std::uint8_t>(num_bytes >> (8 * i)));
}

std::vector<std::uint8_t> der_element(std::uint8_t tag, Bytes content) {
  std::vector<std::uint8_t> element;
  append_der_header(element, tag, content.size());
  element.insert(element.end(), content.begin(), content.end());
  return element;
}

std::vector<std::uint8_t> in_order_of_der(Bytes content) {
  std::vector<Bytes> elements;
  for (DerFields fields(content); !fields.is_at_end();) elements.push_back(fields.take_whole());
  std::ranges::sort(elements, [](Bytes left, Bytes right) { return std::ranges::lexicographical_compare(left, right); });
  std::vector<std::uint8_t> ordered;
  for (const Bytes element : elements) ordered.insert(ordered.end(), element.begin(), element.end());
  return ordered;
}

}  // namespace phalanx
