// This makes the engine's decryptors of foreign messages.
#pragma once

#include <memory>

#include "files/foreign/foreign_cipher.hpp"
#include "files/foreign/message_cipher.hpp"

namespace phalanx {

/// Makes the decryptor of a cipher that the engine has, in whichever way. Throws as RawCipher's constructor does.
[[nodiscard]] std::unique_ptr<MessageDecryptor> make_engine_decryptor(const ForeignCipher& cipher, Bytes key,
                                                                      const CryptJob& job, const RunOptions& options);

}  // namespace phalanx
