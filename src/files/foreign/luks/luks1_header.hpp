// This reads the header of LUKS1 (LUKS1 On-Disk Format Specification 1.2.3, figures 1 to 3).
#pragma once

#include "files/foreign/luks/luks_header.hpp"

namespace phalanx {

/// Reads the header that begins the bytes. Throws as read_luks_header does.
[[nodiscard]] LuksHeader read_luks1_header(const VolumeBytes& bytes);

}  // namespace phalanx
