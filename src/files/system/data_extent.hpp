// This finds the parts of a file that are not holes.
#pragma once

#include <cstdint>

namespace phalanx {

struct DataExtent {
  std::uint64_t begin, end;
};

/// Returns the next part of an open file that is not a hole, from `offset` on, or the file's size twice where there is none.
/// Returns all the rest where the file system cannot tell.
[[nodiscard]] DataExtent next_data_extent(int file, std::uint64_t offset, std::uint64_t file_bytes);

}  // namespace phalanx
