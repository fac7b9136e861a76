// This derives keys by Argon2 (RFC 9106), with the reference library libargon2 or with libcrypto from OpenSSL 3.2 on. Both
// are looked for when they are needed: nothing is linked with libargon2, and libcrypto may be an older one.
#pragma once

#include <cstdint>
#include <phalanx/bytes.hpp>

namespace phalanx {

enum class Argon2Kind : unsigned char { i, id };

/// Says what Argon2 costs. libargon2 takes a thread for each lane.
struct Argon2Cost {
  std::uint32_t num_passes = 0;
  std::uint32_t memory_kib = 0;  ///< at least 8 for each lane
  std::uint32_t num_lanes = 0;
};

/// Computes out.size() bytes of Argon2, version 1.3. Throws Error: usage for a cost or a salt that Argon2 does not take,
/// runtime where neither library is there, or the memory is not.
void derive_argon2(Argon2Kind kind, Bytes passphrase, Bytes salt, const Argon2Cost& cost, MutableBytes out);

}  // namespace phalanx
