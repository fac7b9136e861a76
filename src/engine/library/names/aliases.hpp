// What others call our ciphers, and what was probably meant by a name that nothing has.
#pragma once

#include <string>
#include <string_view>

namespace phalanx {

/// What `openssl enc` means by a name without a mode, as its list of ciphers has them: "des-ede3-cbc" by "des3". "" where it
/// has no such name. Case is ignored.
[[nodiscard]] std::string_view openssl_meaning(std::string_view name);

/// " (did you mean aes-256-gcm?)" of a name that is no cipher in a mode, "" where none is near. A key's size that no cipher
/// has is no mistake in spelling. Of AEADs alone where `is_aead`.
[[nodiscard]] std::string cipher_suggestion(std::string_view name, bool is_aead = false);

}  // namespace phalanx
