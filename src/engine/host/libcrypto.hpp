// libcrypto, before its first use.
#pragma once

namespace phalanx {

/// Throws Error (runtime) if libcrypto could not set itself up, say for lack of memory: version 3.0 would go on and use
/// locks that it does not have. Only the first call takes long.
void require_libcrypto();

/// Says whether this program loads libraries while it runs. One that is linked statically does not: its C library and that
/// of the system would be two.
#ifdef PHALANX_STATIC_PROGRAM
inline constexpr bool loads_libraries = false;
#else
inline constexpr bool loads_libraries = true;
#endif

}  // namespace phalanx
