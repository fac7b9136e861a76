// This reads the JSON in the header of LUKS2 (LUKS2 On-Disk Format Specification 1.1, section 3).
#pragma once

#include <string_view>

#include "files/foreign/luks/luks_header.hpp"

namespace phalanx {

/// Adds the slots, the digests and the segments to the header, and why the volume is refused, if it is. A slot of another
/// kind is there with its problem. Throws Error (format) where the text is not as LUKS2 has it.
void read_luks2_metadata(std::string_view json, LuksHeader& header);

}  // namespace phalanx
