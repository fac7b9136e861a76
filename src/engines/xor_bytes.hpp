// Key stream over a text.
#pragma once

#include <cstddef>
#include <cstdint>

namespace phalanx {

/// out = a ^ b; out may be a or b.
inline void xor_bytes(std::uint8_t* out, const std::uint8_t* a, const std::uint8_t* b, std::size_t num_bytes) {
  for (std::size_t i = 0; i < num_bytes; ++i) out[i] = a[i] ^ b[i];
}

}  // namespace phalanx
