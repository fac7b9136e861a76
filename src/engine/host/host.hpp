// The engine takes these from the process that it runs in: memory for secrets, random bytes, and the derivation of
// keys. Here they are the system's and libcrypto's. A program that links the engine without libcrypto's symbols gives
// functions of its own in place of these. So each stands in an object file with nothing else that the engine asks for.
// Wiping (wiped_memory.hpp) takes nothing from anybody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <phalanx/bytes.hpp>

namespace phalanx {

/// A piece of memory for secrets, aligned to 64 bytes. `capacity` is num_bytes rounded up; give it back to
/// free_secret_memory.
struct SecretPiece {
  std::uint8_t* data = nullptr;
  std::size_t capacity = 0;
};

/// Memory that is in no core dump, is not swapped out where the process's limits allow, and holds nothing but zeros. Throws
/// Error (runtime) if there is none. Any number of threads may call both functions at once.
SecretPiece allocate_secret_memory(std::size_t num_bytes);

/// Wipes the piece and takes it back.
void free_secret_memory(SecretPiece piece) noexcept;

/// Fills `out` with random bytes for keys, nonces and salts; a process and its forked children never get the same. Throws
/// Error (runtime) if the generator fails. Tests link one of their own in place of libcrypto's. No built program can be told
/// to.
void fill_random(MutableBytes out);

/// HKDF-Expand (RFC 5869 section 2.3) with SHA-512: out.size() bytes, at most 255 * 64. `info` has any length. Throws Error
/// (runtime) if it fails.
void expand_hkdf_sha512(Bytes pseudorandom_key, Bytes info, MutableBytes out);

}  // namespace phalanx
