// This reads a part of a plaintext, and a place in IN, as options give them.
#pragma once

#include <cstdint>
#include <string>

#include "files/pipeline/slice.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// Reads "OFFSET:LENGTH", or "OFFSET:" for all to the end; "1M:64K" too. Throws Error (usage) for anything else.
[[nodiscard]] Slice parse_range(const std::string& text);

/// Reads a value of the option --skip, such as "16M". Throws Error (usage) for anything else.
[[nodiscard]] std::uint64_t parse_skip(const std::string& text);

/// Skips so many bytes of an input, by reading where it cannot seek. Throws Error (truncated) where there are fewer.
void skip_bytes(Input& input, std::uint64_t num_bytes);

}  // namespace phalanx
