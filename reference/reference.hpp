// The oracle: every cipher and mode of Phalanx, plainly, by name. Everything faster is judged by what these functions
// return.
//
// Start here to read how a cipher works: plain_des, plain_aes, plain_serpent and plain_twofish follow their standards line
// by line, plain_modes, plain_xts, plain_gcm and plain_xaes those of the modes. They look secrets up in tables, so their timing leaks:
// they are for tests and for reading, never for real keys.
#pragma once

#include <memory>
#include <string_view>

#include "engine/ciphers/direction.hpp"
#include "reference/block_cipher.hpp"
#include "reference/plain_gcm.hpp"
#include "reference/plain_modes.hpp"
#include "reference/plain_xaes.hpp"
#include "reference/plain_xts.hpp"

namespace phalanx::reference {

/// A cipher by its name without a mode, in lower case: des, 2des, des-ede, des-ede3 (or 3des), aes-128, aes-192, aes-256,
/// serpent-128, ..., twofish-256. Throws std::invalid_argument if there is no such cipher or the key has another length.
std::unique_ptr<BlockCipher> make_cipher(std::string_view name, Bytes key);

/// The key of a full name cipher-mode in bytes: for XTS twice the cipher's.
std::size_t key_bytes(std::string_view full_name);

/// Crypts one message in the cipher and mode of a full name, e.g. "des-ede3-cbc". `iv` is one block (ECB: empty). XTS: `key`
/// is the data key followed by the tweak key, `iv` the tweak, `in` one data unit. GCM: `iv` is the nonce, there is no
/// associated data, and the ciphertext ends in its tag of 16 bytes; so it is of "xaes-256-gcm", which is no cipher in a mode.
/// Throws std::invalid_argument if anything does not fit, a
/// wrong tag included.
ByteVector crypt(std::string_view full_name, Direction direction, Bytes key, Bytes iv, Bytes in);

}  // namespace phalanx::reference
