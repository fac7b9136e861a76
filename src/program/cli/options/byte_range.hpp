// A part of a plaintext, and a place in IN, as options give them.
#pragma once

#include <cstdint>
#include <string>

#include "files/pipeline/slice.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// "OFFSET:LENGTH", or "OFFSET:" for all to the end; "1M:64K" too. Throws Error (usage) for anything else.
[[nodiscard]] Slice parse_range(const std::string& text);

/// "16M", of the option --skip. Throws Error (usage) for anything else.
[[nodiscard]] std::uint64_t parse_skip(const std::string& text);

/// Goes on behind so many bytes of an input, by reading where it cannot seek. Throws Error (truncated) where there are
/// fewer.
void skip_bytes(Input& input, std::uint64_t num_bytes);

}  // namespace phalanx
