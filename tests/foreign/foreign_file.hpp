// Old ciphertext to read, made by the library's own ciphers, which other tests judge.
#pragma once

#include <phalanx/files/migration.hpp>

#include "tests/temporary_folder.hpp"

namespace phalanx::test {

inline const EngineOptions one_thread{.engine = "cpu:scalar", .num_threads = 1};

/// A name's own bytes, which do not repeat soon.
Buffer varied(std::size_t size, unsigned seed);

/// The ciphertext of a message: padded where the mode takes it, behind its iv where the format begins with it, in base64 and
/// with its salt as `openssl enc` has them.
Buffer encrypt_old(const ForeignFormat& format, Bytes plain);

}  // namespace phalanx::test
