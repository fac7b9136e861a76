// Keys derived from keys, for containers and their records.
#pragma once

#include <phalanx/bytes.hpp>

namespace phalanx {

/// HKDF-Expand (RFC 5869 section 2.3) with SHA-512: out.size() bytes, at most 255 * 64. `info` has any length.
void expand_hkdf_sha512(Bytes pseudorandom_key, Bytes info, MutableBytes out);

/// HKDF (RFC 5869) with both of its steps. The salt may be empty.
void derive_hkdf_sha512(Bytes input_key, Bytes salt, Bytes info, MutableBytes out);
void derive_hkdf_sha256(Bytes input_key, Bytes salt, Bytes info, MutableBytes out);

/// `out` is 64 bytes.
void compute_sha512(Bytes message, MutableBytes out);

/// HMAC-SHA-512 (RFC 2104) of a message; `out` is 64 bytes.
void compute_hmac_sha512(Bytes key, Bytes message, MutableBytes out);

}  // namespace phalanx
