// Keys from passphrases. The computations are libcrypto's. The two functions that `openssl enc` uses take any digest; MD5 and SHA-1 are
// there only because old files need them. scrypt is the container's. Any thread may call any of it.
#pragma once

#include <cstdint>
#include <phalanx/catalog.hpp>
#include <string>

#pragma GCC visibility push(default)
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

/// How `openssl enc` makes the key and the iv from a passphrase.
struct OpensslDerivation {
  std::string digest = "sha256";  ///< -md; OpenSSL before 1.1.0 took md5 unless told otherwise
  bool pbkdf2 = false;            ///< -pbkdf2: PBKDF2 with the digest in its HMAC; else EVP_BytesToKey with a count of 1
  int num_iterations = 10000;     ///< -iter: PBKDF2's
};

/// Derives the key and then the iv, which is empty for ECB. `salt` is the 8 bytes behind "Salted__", or empty for a file without it.
/// Throws as derive_bytes_to_key and derive_pbkdf2 do.
void derive_key_and_iv(const OpensslDerivation& derivation, Bytes passphrase, Bytes salt, MutableBytes key, MutableBytes iv);

}  // namespace phalanx
#pragma GCC visibility pop
