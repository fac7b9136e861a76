// Keys derived from keys, for containers and their records.
#pragma once

#include <phalanx/bytes.hpp>

namespace phalanx {

/// HKDF (RFC 5869) with both of its steps: its second alone is expand_hkdf_sha512 of host.hpp. The salt may be empty.
void derive_hkdf_sha512(Bytes input_key, Bytes salt, Bytes info, MutableBytes out);
void derive_hkdf_sha256(Bytes input_key, Bytes salt, Bytes info, MutableBytes out);

/// `out` is 64 bytes.
void compute_sha512(Bytes message, MutableBytes out);

/// HMAC-SHA-512 (RFC 2104) of a message; `out` is 64 bytes.
void compute_hmac_sha512(Bytes key, Bytes message, MutableBytes out);

}  // namespace phalanx
