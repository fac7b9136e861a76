// The fixed part of a header (docs/format.md, section 3) begins the info of every key that is derived in a container. So no
// derivation of one version or suite can be taken for that of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <phalanx/bytes.hpp>
#include <string_view>
#include <vector>

#include "engine/chunked/suite.hpp"

namespace phalanx {

inline constexpr std::size_t fixed_part_bytes = 10;
inline constexpr std::uint8_t unbound_version = 1;  ///< a container that is bound to nothing
inline constexpr std::uint8_t bound_version = 2;    ///< a container that is bound to a context, a name, or both

/// Holds a header's version and suite, which stand behind its magic.
struct FixedPart {
  std::uint8_t version = unbound_version;
  const Suite* suite = nullptr;
};

/// Returns the fixed part of a container of version 1.
[[nodiscard]] inline FixedPart unbound(const Suite& suite) { return {unbound_version, &suite}; }

/// Says whether `beginning`, the first bytes of a file, begins with all of a container's magic.
[[nodiscard]] bool is_container(Bytes beginning);

/// Reads as much of a fixed part as there is at the beginning of a file. The suite is nullptr where that is cut off. Throws
/// Error: truncated for an empty file; format for another magic, or a version or suite that is not known.
[[nodiscard]] FixedPart parse_fixed_part(Bytes beginning);

/// Returns the fixed part followed by a label. This is the context or salt that tells derivations in a container apart.
[[nodiscard]] std::vector<std::uint8_t> labelled_fixed_part(const FixedPart& fixed_part, std::string_view label);

}  // namespace phalanx
