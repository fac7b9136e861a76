// libcrypto, before its first use.
#pragma once

namespace phalanx {

/// Throws Error (runtime) where libcrypto could not set itself up: for want of memory, say. Version 3.0 does not look again
/// before it uses locks that it then does not have. Cheap but for the first call.
void require_libcrypto();

}  // namespace phalanx
