// A segment of an index begins with a head (docs/index_format.md, section 1).
#pragma once

#include <array>
#include <cstdint>
#include <phalanx/error.hpp>
#include <string>
#include <vector>

#include "files/container/index/index_authenticator.hpp"

namespace phalanx {

inline constexpr std::size_t index_head_bytes = 92;
using IndexHeadBytes = std::array<std::uint8_t, index_head_bytes>;

inline constexpr std::uint8_t last_index_version = 2;  ///< the version that runs write; version 1 has no digests of headers

struct IndexHead {
  std::uint8_t version = last_index_version;
  std::uint8_t authenticator = 1;
  bool is_whole = false;
  std::uint64_t generation = 1;
  std::uint64_t num_containers = 0;
  std::uint64_t change_bytes = 0;
  IndexKeyId key_id{};
  Sha256Digest before{};
};

[[nodiscard]] IndexHeadBytes encode_index_head(const IndexHead& head);

/// Throws Error: format for a file that is no index, or of a later version; authentication for one that is damaged.
[[nodiscard]] IndexHead parse_index_head(const IndexHeadBytes& bytes);

/// Says whether a head that a killed run has left begins so.
[[nodiscard]] bool begins_as_index_head(Bytes beginning);

/// These write and read big-endian numbers.
void append_index_number(std::uint64_t number, std::size_t num_bytes, std::vector<std::uint8_t>& bytes);
[[nodiscard]] std::uint64_t load_index_number(Bytes bytes);

/// Throws Error (authentication): "the index is damaged: WHY".
[[noreturn]] void throw_damaged_index(const std::string& why);

}  // namespace phalanx
