// The fixed part of a header, docs/format.md section 3: what everything that is derived in a container begins with. So no
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
inline constexpr std::uint8_t unbound_version = 1;  ///< of a container that is bound to nothing
inline constexpr std::uint8_t bound_version = 2;    ///< of one that is bound to a context, a name, or both

/// A header's version and suite, behind its magic.
struct FixedPart {
  std::uint8_t version = unbound_version;
  const Suite* suite = nullptr;
};

/// Of a container of version 1.
[[nodiscard]] inline FixedPart unbound(const Suite& suite) { return {unbound_version, &suite}; }

/// True if the bytes, the beginning of a file, begin with the magic of a container (all of it).
[[nodiscard]] bool is_container(Bytes beginning);

/// Reads as much of a fixed part as there is at the beginning of a file; the suite is nullptr where that is cut off. Throws
/// Error: truncated for an empty file; format for another magic, or a version or suite that we do not know.
[[nodiscard]] FixedPart parse_fixed_part(Bytes beginning);

/// The fixed part followed by a label: the context or salt by which everything that is derived in a container is told apart.
[[nodiscard]] std::vector<std::uint8_t> labelled_fixed_part(const FixedPart& fixed_part, std::string_view label);

}  // namespace phalanx
