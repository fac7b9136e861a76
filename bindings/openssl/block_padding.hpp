// The padding of PKCS #7 (RFC 5652 section 6.3), in constant time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace phalanx {

/// Returns how many bytes of padding a decrypted block ends with; 0 if it is none. No branch and no address depends on the
/// block, so that only the answer tells of it.
inline std::size_t padding_of(const std::uint8_t* block, std::size_t block_bytes) {
  const unsigned last = block[block_bytes - 1];
  unsigned wrong = static_cast<unsigned>(last - 1 >= block_bytes ? 1 : 0);
  for (unsigned i = 0; i < block_bytes; ++i) {
    const unsigned is_padding = (i - last) >> 31;  // 1 where i < last
    wrong |= is_padding & static_cast<unsigned>((block[block_bytes - 1 - i] ^ last) != 0 ? 1 : 0);
  }
  return last & (wrong - 1);
}

}  // namespace phalanx
