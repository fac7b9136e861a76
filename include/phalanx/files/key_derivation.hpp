// This header derives keys from passphrases; libcrypto computes them. scrypt is for containers. The other two are the
// derivations of `openssl enc`, with any digest: MD5 and SHA-1 only because old files need them. Any thread may call any of
// it. A failure of libcrypto is an Error (runtime).
#pragma once

#include <phalanx/version.h>

#include <cstdint>
#include <phalanx/bytes.hpp>
#include <phalanx/error.hpp>
#include <string>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// Throws Error (usage) unless libcrypto offers the digest ("sha256", "md5", ...; case ignored).
void require_digest(const std::string& digest);

/// Computes OpenSSL's EVP_BytesToKey with a count of 1: D_1 || D_2 || ... cut to out.size() bytes, where D_i =
/// digest(D_(i-1) || passphrase || salt) and D_0 is empty. It is no defence against guessing: use it only to read old files.
/// `salt` has 8 bytes, or is empty. Throws Error (usage) for an unknown digest.
void derive_bytes_to_key(const std::string& digest, Bytes passphrase, Bytes salt, MutableBytes out);

/// Computes out.size() bytes of PBKDF2 with HMAC (RFC 8018 section 5.2). `num_iterations` is at least 1; `salt` may be
/// empty. Throws Error (usage) for an unknown digest, fewer iterations, or 2 GiB of passphrase, salt or output.
void derive_pbkdf2(const std::string& digest, Bytes passphrase, Bytes salt, int num_iterations, MutableBytes out);

/// Computes out.size() bytes of scrypt (RFC 7914) with N = 2^log2_n. It takes 128 * (N + p) * r bytes of memory and little
/// more. Throws Error (usage) unless log2_n is from 1 to 63 and below 16 * r, and r and p are not 0. Throws Error (runtime)
/// if the memory is not there. The caller decides what cost to allow.
void derive_scrypt(Bytes passphrase, Bytes salt, unsigned log2_n, std::uint32_t r, std::uint32_t p, MutableBytes out);

/// Says how `openssl enc` makes the key and the iv from a passphrase. The options named here are those of `openssl enc`.
struct OpensslDerivation {
  std::string digest = "sha256";  ///< -md; before OpenSSL 1.1.0 the default was md5
  bool pbkdf2 = false;            ///< -pbkdf2: derive_pbkdf2; else derive_bytes_to_key
  int num_iterations = 10000;     ///< -iter, for PBKDF2
};

/// Derives the key and then the iv, which is empty for ECB. `salt` is the 8 bytes after "Salted__", or empty for a file that
/// does not begin so. Throws as derive_bytes_to_key and derive_pbkdf2 do.
void derive_key_and_iv(const OpensslDerivation& derivation, Bytes passphrase, Bytes salt, MutableBytes key, MutableBytes iv);

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
