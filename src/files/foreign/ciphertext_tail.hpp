// This reads the end of a file of old ciphertext, before its beginning is decrypted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "files/system/input.hpp"

namespace phalanx {

struct CiphertextEnd {
  std::uint64_t num_bytes = 0;     ///< of all that there is, decoded
  std::vector<std::uint8_t> last;  ///< of it: the last two blocks of any cipher, or all
};

/// Reads the end of the ciphertext that begins at `start`: from the end of the file, or through all of a base64 text. The
/// input stands where it stood before. Throws Error: format or truncated for bad base64, runtime where the input cannot be
/// read.
[[nodiscard]] CiphertextEnd read_ciphertext_end(Input& input, std::uint64_t start, bool base64);

/// Returns the last two blocks behind a header, or the only one. Throws Error (truncated) where there are no whole blocks.
[[nodiscard]] Bytes last_blocks_of(const CiphertextEnd& end, std::size_t header_bytes, std::size_t block_bytes);

}  // namespace phalanx
