// A data unit of XTS (IEEE 1619), whole blocks or not.
#pragma once

#include "engine/engines/engine.hpp"

namespace phalanx {

/// Crypts a data unit of at least a block, with ciphertext stealing, in place or from disjoint memory. `tweak` is the
/// unit's, already encrypted, and is of no use afterwards.
void crypt_data_unit(const KeyedCipher& data_key, Direction direction, std::uint8_t* tweak, Bytes in, MutableBytes out);

}  // namespace phalanx
