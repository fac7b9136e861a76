// Short messages under one key whose blocks are independent, put one after another to fill the lanes.
#pragma once

#include <span>

#include "engines/cpu/cpu_cipher.hpp"

namespace phalanx {

/// Crypts the streams, which bring no keys of their own, in a mode that is divisible, on the caller's thread; streams that
/// fill the lanes by themselves are run as ranges.
void crypt_staged(const CpuCipher& cipher, Mode mode, Direction direction, std::span<const Stream> streams);

}  // namespace phalanx
