// The confidentiality modes of SP 800-38A: ECB, CBC, CFB, OFB, CTR. No padding here: ECB and CBC take whole blocks and throw
// std::invalid_argument otherwise; the others take any length, their last block shortened as the standard says.
//
// Every `iv` is one block of the cipher, else std::invalid_argument.
#pragma once

#include "engine/ciphers/direction.hpp"
#include "reference/block_cipher.hpp"

namespace phalanx::reference {

/// Section 6.1, Electronic Codebook.
ByteVector ecb(const BlockCipher& cipher, Direction direction, Bytes in);

/// Section 6.2, Cipher Block Chaining.
ByteVector cbc(const BlockCipher& cipher, Direction direction, Bytes iv, Bytes in);

/// Section 6.3, Cipher Feedback with segments of a whole block (s = b).
ByteVector cfb(const BlockCipher& cipher, Direction direction, Bytes iv, Bytes in);

/// Section 6.4, Output Feedback. Encryption and decryption are the same.
ByteVector ofb(const BlockCipher& cipher, Bytes iv, Bytes in);

/// Section 6.5, Counter. Encryption and decryption are the same. `iv` is the first counter block T1; each further one is one
/// more, big-endian over the whole block and modulo 2^64 or 2^128 (appendix B.1 with m = b).
ByteVector ctr(const BlockCipher& cipher, Bytes iv, Bytes in);

/// The counter block of block number `index` of a message (its first is number 0): iv + index, big-endian, modulo 2^(8 n)
/// for an iv of n bytes.
ByteVector counter_block(Bytes iv, std::uint64_t index);

}  // namespace phalanx::reference
