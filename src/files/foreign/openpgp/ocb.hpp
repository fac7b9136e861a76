// This is OCB (RFC 7253) with tags of 16 bytes, over the ECB of the engine or of libcrypto, to open messages.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "engine/ciphers/direction.hpp"
#include "files/foreign/openpgp/chunk_aead.hpp"

namespace phalanx {

/// The block cipher under a key, which any number of threads may use.
class OcbBlocks {
 public:
  virtual ~OcbBlocks() = default;
  /// Crypts whole blocks of 16 bytes in place.
  virtual void crypt(Direction direction, MutableBytes blocks) const = 0;
  [[nodiscard]] virtual const std::string& engine() const = 0;
};

/// Names are those of RFC 7253, section 4. A nonce has 1 to 15 bytes.
class Ocb : public ChunkAead {
 public:
  /// `cipher` is of 128-bit blocks: "aes-256", "camellia-256".
  Ocb(const std::string& cipher, Bytes key, const RunOptions& options);
  ~Ocb() override;
  Ocb(const Ocb&) = delete;
  Ocb& operator=(const Ocb&) = delete;

  [[nodiscard]] bool open(Bytes nonce, Bytes associated_data, MutableBytes text, Bytes tag) const override;
  [[nodiscard]] const std::string& engine() const override { return blocks_->engine(); }

 private:
  using Block = std::array<std::uint8_t, 16>;
  struct Running;

  static constexpr std::size_t group_blocks = 16;

  void encrypt(Block& block) const;
  void first_offset(Bytes nonce, Block& offset) const;
  template <bool sums_text>
  void add_offsets(Running& running, MutableBytes blocks) const;
  void decrypt_blocks(Running& running, MutableBytes blocks) const;
  void decrypt_rest(Running& running, MutableBytes rest) const;
  void hash(Bytes associated_data, Block& sum) const;
  [[nodiscard]] const Block& mask_of(std::uint64_t block_number) const;

  std::unique_ptr<const OcbBlocks> blocks_;
  std::size_t slice_bytes_;  // that are decrypted in one call
  Block mask_star_{}, mask_dollar_{};
  std::array<Block, 64> masks_{};                    // L_0, L_1, ...
  std::array<Block, group_blocks> group_offsets_{};  // of each block of a group, from the offset before the group
};

}  // namespace phalanx
