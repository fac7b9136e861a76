// This header has what the recogniser looks at: the beginning of a file, its end, and its size.
#pragma once

#include <cstdint>
#include <optional>
#include <phalanx/bytes.hpp>
#include <vector>

#include "files/recognition/plaintext_kind.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// The size of a file of which only the beginning was read.
inline constexpr std::uint64_t unknown_size = UINT64_MAX;

/// The spans stay the caller's.
struct FileGlimpse {
  Bytes beginning{};            ///< the first recognised_from_bytes of the file, or all of it
  Bytes end{};                  ///< the last of it, if that is known; it may overlap with the beginning
  std::uint64_t num_bytes = 0;  ///< the size of the file, or unknown_size

  [[nodiscard]] bool is_whole() const { return beginning.size() == num_bytes; }
  /// Returns the bytes from an offset on, as far as the part goes that has them. Nothing where neither part has any.
  [[nodiscard]] Bytes from(std::uint64_t offset) const;
};

/// Returns a glimpse of bytes that are all of a file.
[[nodiscard]] inline FileGlimpse glimpse_of(Bytes whole) {
  return {.beginning = whole.first(std::min(whole.size(), recognised_from_bytes)), .end = whole, .num_bytes = whole.size()};
}

/// Holds what was read of a file that can seek.
struct FileEnds {
  std::vector<std::uint8_t> beginning;
  std::vector<std::uint8_t> end;
  std::uint64_t num_bytes = 0;

  [[nodiscard]] FileGlimpse glimpse() const { return {.beginning = beginning, .end = end, .num_bytes = num_bytes}; }
};

/// Reads both ends of what begins at `start`. The input stands where it stood before. Nothing for an input that cannot seek.
/// Throws Error (runtime).
[[nodiscard]] std::optional<FileEnds> read_ends(const Input& input, std::uint64_t start);

}  // namespace phalanx
