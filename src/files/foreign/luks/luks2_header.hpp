// This reads the two copies of the header of LUKS2 (LUKS2 On-Disk Format Specification 1.1, section 2).
#pragma once

#include <optional>

#include "files/foreign/luks/luks_header.hpp"

namespace phalanx {

/// Returns whether a second header of LUKS2 seems to stand at one of its places in this beginning.
[[nodiscard]] bool has_second_luks2_header(Bytes beginning);

/// Takes the copy with the higher sequence number of those whose checksums verify. Throws as read_luks_header does.
[[nodiscard]] LuksHeader read_luks2_header(const VolumeBytes& bytes);

/// Looks for a second header where there is no first one. Returns nullopt where there is none whose checksum verifies.
[[nodiscard]] std::optional<LuksHeader> read_second_luks2_header(const VolumeBytes& bytes);

}  // namespace phalanx
