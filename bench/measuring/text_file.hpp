// The files that a run of the bench reads.
#pragma once

#include <cstddef>
#include <string>

namespace phalanx::bench {

/// All of a file or pipe, of which no more than most_bytes and one is read. Throws Error: usage if it holds more, runtime if
/// it cannot be read.
[[nodiscard]] std::string read_text(const std::string& path, std::size_t most_bytes);

}  // namespace phalanx::bench
