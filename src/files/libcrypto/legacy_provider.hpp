// libcrypto's legacy provider, in a library context of its own: what it has is seen by those alone who ask for it.
#pragma once

#include <openssl/types.h>

namespace phalanx {

enum class Provider : unsigned char { standard, legacy };

/// The context that has both providers; it lives as long as the process. nullptr where the legacy provider cannot be loaded.
[[nodiscard]] OSSL_LIB_CTX* legacy_context();

/// Where the provider is, for messages: "OpenSSL's legacy provider, which ... cannot be loaded here".
inline constexpr const char* where_legacy_is =
    "OpenSSL's legacy provider, which cannot be loaded here: install libssl3 (Debian 12) or openssl-provider-legacy (Debian "
    "13), which have legacy.so, and look at OPENSSL_MODULES";

}  // namespace phalanx
