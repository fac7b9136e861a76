// Many messages at once on the CPU: lanes filled across messages.
#pragma once

#include <span>

#include "engines/cpu/cpu_cipher.hpp"

namespace phalanx {

/// KeyedCipher::crypt_messages on the CPU.
void crypt_batch(const CpuCipher& cipher, Mode mode, Direction direction, std::span<const WholeMessage> messages);

}  // namespace phalanx
