// A change of a segment is a container that has a name, or a name that has left the tree (docs/index_format.md, section 1).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "files/container/format/body_facts.hpp"

namespace phalanx {

inline constexpr std::size_t most_index_name_bytes = 4096;
inline constexpr std::size_t most_change_bytes = 3 + most_index_name_bytes + 8 + 8 + message_prefix_bytes + 16 + 32 + 32;

struct IndexChange {
  std::string name{};
  std::optional<BodyFacts> body{};  ///< nothing: the name has left the tree
};

/// Says whether a name may be one in an index: no part is empty, "." or "..", and there is no zero in it.
[[nodiscard]] bool is_index_name(const std::string& name);

[[nodiscard]] std::size_t change_bytes(const std::string& name, const std::optional<BodyFacts>& body);

/// Appends the change to `bytes`.
void append_change(const std::string& name, const std::optional<BodyFacts>& body, std::vector<std::uint8_t>& bytes);

/// Reads so many bytes, from where the last call ended.
using ReadChangeBytes = std::function<void(MutableBytes out)>;

/// Reads the next change of a segment of this version, of which `left_bytes` are left. Throws Error (authentication) where
/// it is malformed.
[[nodiscard]] IndexChange read_change(std::uint8_t version, const ReadChangeBytes& read, std::uint64_t& left_bytes);

}  // namespace phalanx
