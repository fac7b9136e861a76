// This crypts one message of an AEAD in parts.
#pragma once

#include <cstdint>
#include <memory>
#include <phalanx/bytes.hpp>
#include <phalanx/catalog.hpp>
#include <phalanx/options.hpp>
#include <string>

#include "engine/ciphers/direction.hpp"
#include "engine/engines/composed_gcm.hpp"
#include "engine/host/wiped_memory.hpp"
#include "engine/modes/named_cipher.hpp"

namespace phalanx {

/// This is a message of GCM or XAES-256-GCM under its key and nonce. Any number of threads takes its parts, in any order.
/// Nothing here is held back until the tag is compared: that is for the caller.
class AeadInParts {
 public:
  /// `name` is the AEAD's, as the catalog has it. Throws Error: usage, where key or nonce do not fit.
  AeadInParts(const std::string& name, Bytes key, Bytes nonce, Bytes associated_data, const EngineOptions& options);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& engine() const { return engine_; }

  /// Crypts the part that begins `offset` bytes behind the message's beginning, in place, and writes the hash of its
  /// ciphertext, 16 bytes. All parts but the last have whole blocks.
  void crypt(Direction direction, std::uint64_t offset, MutableBytes text, std::uint8_t* hash) const;
  /// Writes the hash alone.
  void hash(Bytes ciphertext, std::uint8_t* hash) const;

  /// Locks pages as KeyedAead does.
  [[nodiscard]] std::unique_ptr<PageLock> lock_pages(MutableBytes memory) const { return aead_->lock_pages(memory); }

 private:
  friend class AeadTag;

  std::string name_, engine_;
  std::unique_ptr<KeyedAead> aead_;
  const ComposedGcm* gcm_;  // of aead_
  std::size_t nonce_bytes_;
  std::uint64_t associated_bytes_;
  WipedArray<16> first_counter_, associated_hash_;
};

/// Makes the tag of a message from the hashes of its parts. One thread at a time may call it.
class AeadTag {
 public:
  /// The message stays the caller's.
  explicit AeadTag(const AeadInParts& message);

  /// Takes the hash of the next part, which has so many bytes.
  void add(const std::uint8_t* part_hash, std::uint64_t num_bytes);
  /// Writes the whole tag, 16 bytes, once all parts were added.
  void write(std::uint8_t* tag) const;

 private:
  const AeadInParts& message_;
  std::uint64_t text_bytes_ = 0;
  WipedArray<16> hash_;
};

}  // namespace phalanx
