// libcrypto, before its first use.
#pragma once

namespace phalanx {

/// Throws Error (runtime) if libcrypto could not set itself up, say for lack of memory: version 3.0 would go on and use
/// locks that it does not have. Only the first call takes long.
void require_libcrypto();

}  // namespace phalanx
