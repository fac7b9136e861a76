// GCM put together from its two halves, CTR and GHASH: SP 800-38D section 7.1 (seal) and 7.2 (open). The halves are an
// engine's.
#pragma once

#include "engine/ciphers/direction.hpp"
#include "engine/engines/keyed_aead.hpp"

namespace phalanx {

/// Whole blocks that are crypted and hashed in one pass.
struct GcmRange {
  Direction direction;
  std::uint8_t* counter;  ///< the next counter block, before and afterwards: its low 32 bits do not wrap
  std::uint8_t* y;        ///< the hash, before and afterwards
  const std::uint8_t* in;
  std::uint8_t* out;
  std::size_t num_blocks;
  const std::uint8_t* last;  ///< the hash takes in these blocks as well
  std::size_t num_last;
};

/// A part of one long message. All parts but the last have whole blocks.
struct GcmPart {
  const std::uint8_t* first_counter;  ///< J_0 of the message, as write_first_counter_of has it
  std::size_t nonce_bytes;            ///< size of the message's nonce
  std::uint64_t offset;               ///< what stands before the part in the message: whole blocks
  const std::uint8_t* in;
  std::uint8_t* out;  ///< `in`, or disjoint
  std::size_t num_bytes;
};

class ComposedGcm : public KeyedAead {
 public:
  /// Messages whose key stream at both ends is computed in one go: single blocks are slow where a cipher works on many side
  /// by side.
  static constexpr std::size_t most_at_once = 16;

  /// The longest text of a message: SP 800-38D section 5.2.1.1, 2^39 - 256 bits.
  static constexpr std::uint64_t most_text_bytes = (std::uint64_t{1} << 36) - 32;

  // One message in parts, which any number of threads takes in any order. Its hash is that of the associated data, then of
  // each part in turn, joined. Nothing here holds a part back: the caller does, until the tag is compared.
  [[nodiscard]] const ComposedGcm* in_parts() const final { return this; }
  /// Writes J_0, 16 bytes (section 7.1, step 2).
  void write_first_counter_of(Bytes nonce, std::uint8_t* counter) const;
  /// Crypts a part, and goes on with the hash y over its ciphertext.
  void crypt_part(Direction direction, const GcmPart& part, std::uint8_t* y) const;
  /// Writes the key stream of that block of the text, 16 bytes: for whom less than a block comes at a time.
  void write_keystream(const std::uint8_t* first_counter, std::uint64_t block, std::uint8_t* keystream) const;
  /// Goes on with the hash y over `in`, padded with zeros to whole blocks.
  void hash_padded(std::uint8_t* y, Bytes in) const;
  /// Makes of y, the hash of what is before a part of num_blocks blocks, that of both; part_y is the part's hash from zero.
  virtual void join_hashes(std::uint8_t* y, const std::uint8_t* part_y, std::uint64_t num_blocks) const = 0;
  /// Makes the whole tag, 16 bytes, of the hash y of associated data and text.
  void write_tag(const std::uint8_t* first_counter, std::uint64_t associated_bytes, std::uint64_t text_bytes,
                 const std::uint8_t* y, std::uint8_t* tag) const;

 protected:
  /// Crypts up to most_at_once messages under this key, one after another.
  void crypt_batch(Direction direction, Unverified unverified, std::span<AeadMessage> messages) const;
  void crypt_message(Direction direction, Unverified unverified, AeadMessage& message) const;

 private:
  void crypt_between(Direction direction, Unverified unverified, AeadMessage& message, const std::uint8_t* first_counter,
                     const std::uint8_t* end_keystream) const;
  void seal_between(AeadMessage& message, const std::uint8_t* first_counter, const std::uint8_t* end_keystream) const;
  void open_between(Unverified unverified, AeadMessage& message, const std::uint8_t* first_counter,
                    const std::uint8_t* end_keystream) const;
  void crypt_counted(bool counts_from_1, std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                     std::size_t num_blocks) const;

  /// The block cipher on single blocks, in place.
  virtual void encrypt_blocks(std::uint8_t* blocks, std::size_t num_blocks) const = 0;
  /// CTR; the counter moves on.
  virtual void crypt_counter_mode(std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                                  std::size_t num_blocks) const = 0;
  /// y = (y ^ X) * H for each block X of `in` and then of `last` (section 6.4).
  virtual void hash_blocks(std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks, const std::uint8_t* last,
                           std::size_t num_last) const = 0;
  virtual void crypt_and_hash(const GcmRange& range) const = 0;
};

}  // namespace phalanx
