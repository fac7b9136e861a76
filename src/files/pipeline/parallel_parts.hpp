// A long buffer, worked on by several threads: read, written or digested part by part.
#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/threads/threads.hpp"
#include "files/pipeline/piece.hpp"

namespace phalanx {

/// Returns the number of parts of `size` bytes. A part has default_piece_bytes, and the last may be shorter.
[[nodiscard]] constexpr std::size_t num_parts_of(std::size_t size) {
  return (size + default_piece_bytes - 1) / default_piece_bytes;
}

/// Calls body(part, begin, part_bytes) for each part, on at most num_threads threads (0: all) at once. Throws what a body
/// has thrown.
template <class Body>
void for_each_part(int num_threads, std::size_t size, const Body& body) {
  run_parallel(num_threads, num_parts_of(size), [&](std::size_t first, std::size_t last) {
    for (std::size_t part = first; part < last; ++part) {
      const std::size_t begin = part * default_piece_bytes;
      body(part, begin, std::min(default_piece_bytes, size - begin));
    }
  });
}

}  // namespace phalanx
