// Random bytes for keys and salts.
#pragma once

#include "phalanx/phalanx.hpp"

namespace phalanx {

/// Fills `out` from libcrypto's generator for secrets. Throws Error (runtime) if that fails. It stands alone in
/// random_bytes.cpp: a test program that defines it itself gets its own bytes instead, by the linker; no built program can
/// be told to.
void fill_random(MutableBytes out);

}  // namespace phalanx
