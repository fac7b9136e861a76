// The functions of each cipher, as libcrypto calls them (provider-cipher(7)).
#pragma once

#include <openssl/core.h>

namespace phalanx {

/// All ciphers of served_ciphers.hpp, and an end.
const OSSL_ALGORITHM* cipher_algorithms();

}  // namespace phalanx
