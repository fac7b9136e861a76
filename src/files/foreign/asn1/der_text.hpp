// This writes elements in DER, to give them to libcrypto or to authenticate them.
#pragma once

#include <cstdint>
#include <phalanx/bytes.hpp>
#include <vector>

namespace phalanx {

/// Appends identifier and length octets (X.690, section 8.1), the length in its shortest form.
void append_der_header(std::vector<std::uint8_t>& out, std::uint8_t tag, std::size_t num_bytes);

/// Returns an element with this content.
[[nodiscard]] std::vector<std::uint8_t> der_element(std::uint8_t tag, Bytes content);

/// Returns the content of a SET OF with its elements in the order of DER: X.690, section 11.6. `content` is one element
/// behind another, each whole.
[[nodiscard]] std::vector<std::uint8_t> in_order_of_der(Bytes content);

}  // namespace phalanx
