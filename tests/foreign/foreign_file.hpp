// Old ciphertext to read, made by the library's own ciphers, which other tests judge.
#pragma once

#include <phalanx/files/migration.hpp>

#include "tests/temporary_folder.hpp"

namespace phalanx::test {

inline const EngineOptions one_thread{.engine = "cpu:scalar", .num_threads = 1};

/// A name's own bytes, which do not repeat soon.
Buffer varied(std::size_t size, unsigned seed);

/// Gives the bytes to a public reader: fewer than asked for only at the end.
ReadNext reading(Bytes bytes);

/// Returns all that a public reader gives, by reads of so many bytes.
template <class Reader>
Buffer drain(Reader& reader, std::size_t each) {
  Buffer plain, piece(each);
  for (;;) {
    const std::size_t size = reader.read(piece);
    plain.insert(plain.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(size));
    if (size < each) return plain;
  }
}

/// The ciphertext of a message: padded where the mode takes it, behind its iv where the format begins with it, in base64 and
/// with its salt as `openssl enc` has them.
Buffer encrypt_old(const ForeignFormat& format, Bytes plain);

}  // namespace phalanx::test
