// These add a key stream to a text.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/bytes/byte_order.hpp"

namespace phalanx {

/// out = a ^ b, 16 bytes; out may be a or b.
inline void xor_block(std::uint8_t* out, const std::uint8_t* a, const std::uint8_t* b) {
  store_pair(out, load_pair(a) ^ load_pair(b));
}

/// out = a ^ b; out may be a or b.
inline void xor_bytes(std::uint8_t* out, const std::uint8_t* a, const std::uint8_t* b, std::size_t num_bytes) {
  for (std::size_t i = 0; i < num_bytes; ++i) out[i] = a[i] ^ b[i];
}

}  // namespace phalanx
