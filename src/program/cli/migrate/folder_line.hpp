// This refuses a folder that is given as IN, and says what to give.
#pragma once

#include "program/cli/migrate/options.hpp"

namespace phalanx {

/// Throws Error (usage) where IN is a folder. It names the command that migrates all files in it, as far as that is given.
void refuse_folder_as_in(const MigrateOptions& options);

}  // namespace phalanx
