// Names of ciphers as people know them from elsewhere.
#pragma once

#include <string>

namespace phalanx {

/// What takes the name: a bare cipher, or an Aead.
enum class CipherUse { bare, aead };

/// Throws Error (usage) for a name that is none of ours, and says which is meant: "des3" is OpenSSL's name of des-ede3-cbc, and
/// "AES-GCM" is near aes-256-gcm. What fits the use is not looked at.
void check_cipher_name(const std::string& name, CipherUse use);

}  // namespace phalanx
