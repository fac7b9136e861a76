// XTS (IEEE Std 1619-2007, approved by SP 800-38E) over any cipher with a block of 16 bytes, with ciphertext stealing.
#pragma once

#include <array>

#include "engine/ciphers/direction.hpp"
#include "reference/block_cipher.hpp"

namespace phalanx::reference {

using XtsTweak = std::array<std::uint8_t, 16>;

/// Crypts one data unit (section 5.3.2 and 5.4.2) of 16 bytes or more. `data_cipher` has Key1, `tweak_cipher` has Key2;
/// `tweak` is i, 16 bytes, least significant first. Throws std::invalid_argument if a length does not fit.
ByteVector xts(const BlockCipher& data_cipher, const BlockCipher& tweak_cipher, Direction direction, Bytes tweak, Bytes in);

/// The same from an encrypted tweak T on: the blocks of a data unit from any block to its end.
ByteVector xts_from(const BlockCipher& data_cipher, Direction direction, XtsTweak T, Bytes in);

/// T = E(Key2, i) times alpha to the power of `block`, the encrypted tweak of that block of the data unit (the first is 0).
/// Takes time in proportion to `block`.
XtsTweak xts_tweak(const BlockCipher& tweak_cipher, Bytes tweak, std::uint64_t block);

}  // namespace phalanx::reference
