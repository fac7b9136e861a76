// libcrypto's legacy provider, in a library context of its own: what it has is seen by those alone who ask for it.
#pragma once

#include <openssl/types.h>

#include <string>

namespace phalanx {

enum class Provider : unsigned char { standard, legacy };

/// Returns the context that has both providers; it lives as long as the process. Throws Error (runtime) where the legacy
/// provider cannot be loaded: `what` needs it.
[[nodiscard]] OSSL_LIB_CTX* legacy_context(const std::string& what);

}  // namespace phalanx
