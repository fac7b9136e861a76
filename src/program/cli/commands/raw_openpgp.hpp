// `phalanx raw decrypt --openpgp`.
#pragma once

#include "program/cli/options/raw_options.hpp"

namespace phalanx {

/// One run of the command. Throws Error.
void run_raw_openpgp(const RawOptions& options);

/// Throws Error (usage) where options of messages of OpenPGP are given without --openpgp.
void refuse_openpgp_options(const RawOptions& options);

}  // namespace phalanx
