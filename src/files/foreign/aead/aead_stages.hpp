// These stages hash, decrypt or encrypt the pieces of a message of an AEAD.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/aead/aead_in_parts.hpp"
#include "files/pipeline/scheduler.hpp"

namespace phalanx {

/// Holds the hash of each piece, which the first reading finds and the second compares. They are secrets: with the
/// ciphertext they lead to the key of GHASH.
class PieceHashes {
 public:
  explicit PieceHashes(std::uint64_t num_pieces) : hashes_(static_cast<std::size_t>(num_pieces) * 16) {}
  [[nodiscard]] std::uint8_t* of(std::uint64_t number) { return hashes_.data() + number * 16; }

 private:
  SecretBytes hashes_;
};

/// Keeps the hash of each piece of ciphertext. Message and hashes stay the caller's.
class AeadHashing : public PipelineStage {
 public:
  AeadHashing(const AeadInParts& message, PieceHashes& hashes) : message_(message), hashes_(hashes) {}
  [[nodiscard]] bool only_reads() const override { return true; }
  [[nodiscard]] std::unique_ptr<PageLock> lock_pages(MutableBytes memory) const override {
    return message_.lock_pages(memory);
  }
  void process(Piece& piece) override { message_.hash(piece.content(), hashes_.of(piece.number)); }

 private:
  const AeadInParts& message_;
  PieceHashes& hashes_;
};

/// Decrypts each piece of a message whose tag was verified by these hashes. Wipes a piece that has another hash now, and
/// throws Error (runtime). A changed piece of n blocks has the same hash with a probability of n / 2^128 at most. `name` is
/// the input's.
class AeadOpening : public PipelineStage {
 public:
  AeadOpening(const AeadInParts& message, PieceHashes& hashes, std::string name)
      : message_(message), hashes_(hashes), name_(std::move(name)) {}
  [[nodiscard]] std::unique_ptr<PageLock> lock_pages(MutableBytes memory) const override {
    return message_.lock_pages(memory);
  }
  void process(Piece& piece) override;

 private:
  const AeadInParts& message_;
  PieceHashes& hashes_;
  std::string name_;
};

/// Throws Error (usage) for a plaintext that is too long for one message: SP 800-38D section 5.2.1.1.
void check_aead_length(const std::string& aead, std::uint64_t num_bytes);

/// Encrypts each piece. The tag follows from all of them.
class AeadSealing : public PipelineStage {
 public:
  explicit AeadSealing(const AeadInParts& message) : message_(message), tag_(message) {}
  [[nodiscard]] std::unique_ptr<PageLock> lock_pages(MutableBytes memory) const override {
    return message_.lock_pages(memory);
  }
  /// Throws as check_aead_length does.
  void process(Piece& piece) override;
  /// Writes the tag, 16 bytes, once all pieces were processed.
  void write_tag(std::uint8_t* tag) const { tag_.write(tag); }

 private:
  struct Waiting {
    SecretBytes hash;
    std::uint64_t num_bytes;
  };

  const AeadInParts& message_;
  std::mutex mutex_;
  std::map<std::uint64_t, Waiting> waiting_;  // of pieces that came before the next one in order
  std::uint64_t next_ = 0;
  AeadTag tag_;
};

}  // namespace phalanx
