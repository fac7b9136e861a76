// Random bytes for keys and salts.
#pragma once

#include <phalanx/bytes.hpp>

namespace phalanx {

/// Fills `out` from libcrypto's generator for secrets. Throws Error (runtime) if that fails. It is alone in
/// random_bytes.cpp, so that a test program can define it itself and the linker takes that one. No built program can be told
/// to.
void fill_random(MutableBytes out);

}  // namespace phalanx
