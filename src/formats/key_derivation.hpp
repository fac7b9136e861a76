// Keys from passphrases, and from other keys. The computations are libcrypto's. The two functions that `openssl enc` uses take any
// digest; MD5 and SHA-1 are there only because old files need them. The others are the container's.
#pragma once

#include <cstdint>
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

/// scrypt (RFC 7914) with N = 2^log2_n, out.size() bytes; it takes 128 * N * r bytes of memory and little more. Throws Error
/// (usage) for parameters that the RFC does not have (log2_n from 1 to 63 and below 16 * r; r and p not 0), and Error (runtime) if
/// there is no memory. The caller decides what cost to allow.
void derive_scrypt(Bytes passphrase, Bytes salt, unsigned log2_n, std::uint32_t r, std::uint32_t p, MutableBytes out);

/// HKDF-Expand (RFC 5869 section 2.3) with SHA-512: out.size() bytes, at most 255 * 64.
void expand_hkdf_sha512(Bytes pseudorandom_key, Bytes info, MutableBytes out);

/// HMAC-SHA-512 (RFC 2104) of a message; `out` is 64 bytes.
void compute_hmac_sha512(Bytes key, Bytes message, MutableBytes out);

}  // namespace phalanx
