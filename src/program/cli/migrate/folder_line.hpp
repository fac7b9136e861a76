// What is said of a folder that is given as IN.
#pragma once

#include "program/cli/migrate/options.hpp"

namespace phalanx {

/// Throws Error (usage) where IN is a folder, with the command to copy that migrates all files in it, as far as it is given.
void refuse_folder_as_in(const MigrateOptions& options);

}  // namespace phalanx
