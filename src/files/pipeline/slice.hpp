// A slice is a part of a message's plaintext.
#pragma once

#include <cstdint>
#include <optional>

namespace phalanx {

struct Slice {
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> num_bytes;  ///< nullopt: to the end
};

}  // namespace phalanx
