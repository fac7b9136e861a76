// `phalanx raw decrypt --cms`.
#pragma once

#include "program/cli/options/raw_options.hpp"

namespace phalanx {

/// One run of the command. Throws Error.
void run_raw_cms(const RawOptions& options);

}  // namespace phalanx
