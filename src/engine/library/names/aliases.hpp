// These know the names that others have for our ciphers, and guess the name that was meant by one that nothing has.
#pragma once

#include <string>
#include <string_view>

namespace phalanx {

/// Returns our name for a name without a mode from the list of ciphers of `openssl enc`: "des-ede3-cbc" for "des3".
/// Returns "" where the list has no such name. Case is ignored.
[[nodiscard]] std::string_view openssl_meaning(std::string_view name);

/// Returns " (did you mean aes-256-gcm?)" for a name that is no cipher in a mode, or "" where none is near. Explains a
/// name of dm-crypt. A key's size that no cipher has is no mistake in spelling. If `is_aead`, only AEADs are guessed.
[[nodiscard]] std::string cipher_suggestion(std::string_view name, bool is_aead = false);

}  // namespace phalanx
