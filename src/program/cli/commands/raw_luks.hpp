// `phalanx raw decrypt --luks`.
#pragma once

#include "program/cli/options/raw_options.hpp"

namespace phalanx {

/// Throws Error (usage) where an option for volumes of LUKS is given, and IN is not said to be one.
void refuse_luks_options(const RawOptions& options);

/// One run of the command. Throws Error.
void run_raw_luks(const RawOptions& options);

}  // namespace phalanx
