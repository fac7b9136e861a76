// The first bytes of what was compressed by deflate.
#pragma once

#include <cstdint>
#include <optional>
#include <phalanx/bytes.hpp>
#include <vector>

namespace phalanx {

/// Decompresses the beginning of raw deflate data (RFC 1951) up to `most_bytes`, or to the end of its first block. Nothing
/// for data that deflate does not write, or that end before a byte comes out. Random bytes
/// decompress too, once in a hundred times, so that the caller must look at what comes out.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> inflate_beginning(Bytes deflated, std::size_t most_bytes);

}  // namespace phalanx
