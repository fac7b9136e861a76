// This stage computes the SHA-256 of a message on its way.
#pragma once

#include <string>

#include "files/libcrypto/sha256.hpp"
#include "files/pipeline/scheduler.hpp"

namespace phalanx {

/// Digests the pieces of a run as they are at its place among the stages.
class DigestStage : public PipelineStage {
 public:
  [[nodiscard]] bool in_order() const override { return true; }
  [[nodiscard]] bool only_reads() const override { return true; }
  void process(Piece& piece) override {
    digest_.update(piece.content());
    num_bytes_ += piece.size;
  }
  [[nodiscard]] std::string finish() { return digest_.finish(); }
  [[nodiscard]] Sha256Digest finish_bytes() { return digest_.finish_bytes(); }
  [[nodiscard]] std::uint64_t num_bytes() const { return num_bytes_; }

 private:
  Sha256 digest_;
  std::uint64_t num_bytes_ = 0;
};

}  // namespace phalanx
