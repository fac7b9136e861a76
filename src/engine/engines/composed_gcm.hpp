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

class ComposedGcm : public KeyedAead {
 public:
  /// Messages whose key stream at both ends is computed in one go: single blocks are slow where a cipher works on many side
  /// by side.
  static constexpr std::size_t most_at_once = 16;

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
  void write_first_counter_of(Bytes nonce, std::uint8_t* counter) const;
  void hash_padded(std::uint8_t* y, Bytes in) const;
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
