// A spool holds what a stream gives, for a caller that reads it more than once.
#pragma once

#include <string>

#include "files/system/input.hpp"

namespace phalanx {

/// Takes all that is left of an input that cannot seek, and returns an input over it. That one can seek, stands at its
/// beginning and has the same name. A short stream stays in memory. A longer one goes to a file in the folder for temporary
/// files, which is $TMPDIR or else /var/tmp. The file has no name and is gone with the input. Throws Error (runtime) where
/// there is no room for it.
[[nodiscard]] Input spool(Input& input);
/// Does so with all that a source gives. `name` is for messages.
[[nodiscard]] Input spool(ByteSource& source, const std::string& name);

}  // namespace phalanx
