// Files that a run in place over them has left half done, for those who would read them as they are.
#pragma once

#include "files/input.hpp"

namespace phalanx {

/// Throws Error (format) where the input is a file that is marked as half done, or has the journal of such a run beside it:
/// a part of it is crypted already, and a part is not.
void refuse_half_done(const Input& input);

}  // namespace phalanx
