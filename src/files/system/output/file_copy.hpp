// Copying the rest of a file, by the file system itself where it can.
#pragma once

#include "files/system/input.hpp"
#include "files/system/output/atomic_file.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// Appends what `input` holds from its position on to `file`: by copy_file_range, which shares blocks or copies them
/// within the kernel or the server, or else by reading and writing. Throws Error (runtime).
void copy_rest(Input& input, AtomicFile& file, Progress& progress);

}  // namespace phalanx
