// What every mode asks of a cipher: one block, either way. SP 800-38A section 4 calls the two functions CIPH_K and
// CIPH^-1_K.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace phalanx::reference {

using Bytes = std::span<const std::uint8_t>;
using ByteVector = std::vector<std::uint8_t>;

/// A block cipher under one key. Objects do not change once made and may be shared by threads.
class BlockCipher {
 public:
  BlockCipher() = default;
  BlockCipher(const BlockCipher&) = delete;
  BlockCipher& operator=(const BlockCipher&) = delete;
  virtual ~BlockCipher() = default;

  /// 8 or 16.
  [[nodiscard]] virtual std::size_t block_bytes() const = 0;
  /// Each reads and writes block_bytes() bytes; `in` and `out` may be the same block.
  virtual void encrypt_block(const std::uint8_t* in, std::uint8_t* out) const = 0;
  virtual void decrypt_block(const std::uint8_t* in, std::uint8_t* out) const = 0;
};

}  // namespace phalanx::reference
