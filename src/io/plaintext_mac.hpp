// Whether two readings gave the same plaintext, at a small part of what a digest costs.
//
// GMAC under a key that is drawn for one run and never leaves it: two plaintexts that differ have the same value with a
// chance of 2^-100 at most, whatever they are, since nobody can choose them to suit a key that he does not know. No value is
// printed or kept: under another key it means nothing.
#pragma once

#include <array>
#include <cstdint>

#include "engines/secret_bytes.hpp"
#include "io/byte_stream.hpp"
#include "io/digest_stage.hpp"
#include "io/pipeline.hpp"
#include "phalanx/aead.hpp"

namespace phalanx {

/// Any number of threads may use one at once.
class PlaintextMacKey {
 public:
  PlaintextMacKey();  ///< a new one; throws Error (runtime) if there are no random bytes

  using Tag = std::array<std::uint8_t, 16>;
  /// Of the leaf with this number: a part of a plaintext.
  [[nodiscard]] Tag tag_of(std::uint64_t leaf, Bytes part) const;

 private:
  Aead aead_;
};

/// Takes a plaintext in parts of any size. The key stays the caller's.
class PlaintextMac {
 public:
  explicit PlaintextMac(const PlaintextMacKey& key) : key_(key) {}

  void update(Bytes part);

  /// The value of all of it, once.
  [[nodiscard]] std::string finish();

  [[nodiscard]] std::uint64_t num_bytes() const { return num_bytes_; }

 private:
  void add_leaf(Bytes leaf);

  const PlaintextMacKey& key_;
  RunningDigest tags_;  // of all leaves, in their order: few bytes
  SecretBytes begun_;   // a leaf that is not whole yet
  std::size_t begun_bytes_ = 0;
  std::uint64_t num_leaves_ = 0;
  std::uint64_t num_bytes_ = 0;
};

/// Takes the pieces of a pipeline as they are at its place among the stages.
class PlaintextMacStage : public PieceStage {
 public:
  explicit PlaintextMacStage(const PlaintextMacKey& key) : mac_(key) {}
  void process(Piece& piece) override { mac_.update(piece.buffer.first(piece.size)); }
  [[nodiscard]] PlaintextMac& mac() { return mac_; }

 private:
  PlaintextMac mac_;
};

/// Takes a stream and writes it nowhere.
class PlaintextMacSink : public ByteSink {
 public:
  explicit PlaintextMacSink(const PlaintextMacKey& key) : mac_(key) {}
  void write(Bytes in) override { mac_.update(in); }
  [[nodiscard]] PlaintextMac& mac() { return mac_; }

 private:
  PlaintextMac mac_;
};

}  // namespace phalanx
