// This copies the rest of a file, by the file system itself where it can.
#pragma once

#include "files/system/input.hpp"
#include "files/system/output/atomic_file.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// Appends the bytes of `input` from its position on to `file`. copy_file_range shares blocks or copies them within the
/// kernel or the server; without it they are read and written. Throws Error (runtime).
void copy_rest(Input& input, AtomicFile& file, Progress& progress);

}  // namespace phalanx
