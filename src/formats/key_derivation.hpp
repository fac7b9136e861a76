// Keys from passphrases: the two functions that `openssl enc` uses. The digests are libcrypto's; MD5 and SHA-1 are here only
// because old files need them.
#pragma once

#include <string>

#include "phalanx/phalanx.hpp"

namespace phalanx {

/// Throws Error (usage) unless libcrypto offers the digest ("sha256", "md5", ...; case ignored).
void require_digest(const std::string& digest);

/// OpenSSL's EVP_BytesToKey with a count of 1: D_1 || D_2 || ... cut to out.size() bytes, where
/// D_i = digest(D_(i-1) || passphrase || salt) and D_0 is empty. This is no defence against guessing: for reading old
/// files only. `salt` is 8 bytes, or empty. Throws Error (usage) for an unknown digest.
void derive_bytes_to_key(const std::string& digest, Bytes passphrase, Bytes salt, MutableBytes out);

/// PBKDF2 with HMAC (RFC 8018 section 5.2), out.size() bytes. `num_iterations` is at least 1, and `salt` of any size, or
/// empty. Throws Error (usage) for an unknown digest or number of iterations.
void derive_pbkdf2(const std::string& digest, Bytes passphrase, Bytes salt, int num_iterations, MutableBytes out);

}  // namespace phalanx
