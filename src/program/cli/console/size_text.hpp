// These are sizes as options write them: 16, 64K, 4M, 1G, 2T (powers of 1024).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace phalanx {

/// Returns the number of bytes, which may be 0; nullopt where the text is something else, or more than most_bytes.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text, std::uint64_t most_bytes);

/// Returns the number of bytes, at least 1; nullopt where the text is something else, or more than most_bytes.
[[nodiscard]] std::optional<std::size_t> parse_size(std::string_view text, std::size_t most_bytes);

/// Returns the shortest text of a size that parse_size reads as it.
[[nodiscard]] std::string size_text(std::size_t num_bytes);

}  // namespace phalanx
