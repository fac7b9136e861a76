// This is `phalanx raw encrypt|decrypt` with a cipher in GCM, or XAES-256-GCM.
#pragma once

#include "engine/ciphers/direction.hpp"
#include "program/cli/options/raw_options.hpp"

namespace phalanx {

/// Does one run of the command, whose options name an AEAD (names_aead). Throws Error.
void run_raw_aead(const RawOptions& options, Direction direction);

}  // namespace phalanx
