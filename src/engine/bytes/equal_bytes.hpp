// Comparison of secrets.
#pragma once

#include <cstddef>
#include <cstdint>

namespace phalanx {

/// Returns whether num_bytes bytes are equal, in time that depends on their number alone.
inline bool are_equal(const std::uint8_t* a, const std::uint8_t* b, std::size_t num_bytes) {
  std::uint8_t difference = 0;
  for (std::size_t i = 0; i < num_bytes; ++i) difference = static_cast<std::uint8_t>(difference | (a[i] ^ b[i]));
  __asm__("" : "+r"(difference));  // for all the compiler knows, the sum may be another: it must be complete
  return difference == 0;
}

}  // namespace phalanx
