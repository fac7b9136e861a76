// This gives numbers of things in words.
#pragma once

#include <cstdint>
#include <string>

namespace phalanx {

/// "1 byte", "2 bytes".
[[nodiscard]] inline std::string count_bytes(std::uint64_t number) {
  return std::to_string(number) + (number == 1 ? " byte" : " bytes");
}

}  // namespace phalanx
