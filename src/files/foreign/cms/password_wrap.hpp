// This takes out a content's key that is wrapped under the key of a passphrase (RFC 3211, section 2.3).
#pragma once

#include <optional>
#include <phalanx/bytes.hpp>

#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/cms/content_cipher.hpp"

namespace phalanx {

/// Unwraps a key that was encrypted twice by a cipher in CBC. Returns nothing where its length or its check does not fit.
/// Throws Error (runtime) where libcrypto has no such cipher.
[[nodiscard]] std::optional<SecretBytes> unwrap_under_passphrase(const ContentCipher& cipher, Bytes key, Bytes wrapped);

}  // namespace phalanx
