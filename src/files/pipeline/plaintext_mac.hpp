// This tells whether two readings gave the same plaintext, at a small part of the cost of a digest.
//
// The value is a MAC under keys that are drawn for one run and never leave it. Two plaintexts that differ have the same
// value with a chance of 2^-100 at most, since nobody can choose them to suit a key that he does not know. No value is
// printed or kept: under another key it means nothing.
//
// Each leaf of 1 MiB has its GMAC, which goes through CMAC with the leaf's number. The value is the XOR of all, and the
// length. So leaves may come in any order, on many threads (Bellare, Guerin and Rogaway, "XOR MACs", CRYPTO 1995:
// distinct numbers, a pseudorandom function of number and leaf).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "engine/engines/keyed_aead.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "files/pipeline/scheduler.hpp"

namespace phalanx {

/// Any number of threads may use one at once.
class PlaintextMacKey {
 public:
  PlaintextMacKey();  ///< a new one; throws Error (runtime) if there are no random bytes

  static constexpr std::size_t all_key_bytes = 64;
  explicit PlaintextMacKey(Bytes key);  ///< of all_key_bytes

  /// Returns the bytes that make the key again.
  [[nodiscard]] SecretBytes bytes() const;

  using Tag = std::array<std::uint8_t, 16>;
  /// Computes a pseudorandom function of a leaf, a part of a plaintext, and its number.
  [[nodiscard]] Tag tag_of(std::uint64_t leaf, Bytes part) const;

 private:
  std::unique_ptr<KeyedAead> gcm_;
  SecretBytes tag_key_;
};

/// Takes a plaintext in pieces, in any order. The key stays the caller's.
class PlaintextMac {
 public:
  explicit PlaintextMac(const PlaintextMacKey& key) : key_(key) {}

  /// Pieces of plaintext that begin at a multiple of this many bytes; all but the last hold a multiple of as many.
  static constexpr std::size_t leaf_bytes = std::size_t{1} << 20;

  /// Adds a part of the plaintext. Any number of threads may call it at once.
  void add(std::uint64_t offset, Bytes part);

  /// Adds the sum and the number of bytes of another MAC, which is under the same key and of other pieces of the
  /// plaintext.
  void merge(const PlaintextMacKey::Tag& sum, std::uint64_t num_bytes);
  [[nodiscard]] const PlaintextMacKey::Tag& sum() const { return sum_; }

  [[nodiscard]] const PlaintextMacKey& key() const { return key_; }

  /// Returns the value of the whole plaintext, in hex.
  [[nodiscard]] std::string finish() const;

  [[nodiscard]] std::uint64_t num_bytes() const { return num_bytes_; }

 private:
  const PlaintextMacKey& key_;
  std::mutex mutex_;
  PlaintextMacKey::Tag sum_{};
  std::uint64_t num_bytes_ = 0;
};

/// Takes the pieces of a run as they are at its place among the stages.
class PlaintextMacStage : public PipelineStage {
 public:
  explicit PlaintextMacStage(const PlaintextMacKey& key) : mac_(key) {}
  [[nodiscard]] bool only_reads() const override { return true; }
  void process(Piece& piece) override { mac_.add(piece.offset, piece.content()); }
  [[nodiscard]] const PlaintextMac& mac() const { return mac_; }
  [[nodiscard]] PlaintextMac& mac() { return mac_; }

 private:
  PlaintextMac mac_;
};

}  // namespace phalanx
