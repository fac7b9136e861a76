// The SHA-256 of a message on its way.
#pragma once

#include <memory>
#include <string>

#include "io/piece_run.hpp"
#include "phalanx/phalanx.hpp"

namespace phalanx {

/// SHA-256, by libcrypto, which uses the processor's instructions for it. What it holds of the message is wiped.
class RunningDigest {
 public:
  RunningDigest();
  ~RunningDigest();
  RunningDigest(const RunningDigest&) = delete;
  RunningDigest& operator=(const RunningDigest&) = delete;

  void update(Bytes in);

  /// The digest in hex, once.
  [[nodiscard]] std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Digests the pieces of a run as they are at its place among the stages.
class DigestStage : public PieceStage {
 public:
  [[nodiscard]] bool in_order() const override { return true; }
  [[nodiscard]] bool only_looks() const override { return true; }
  void process(Piece& piece) override {
    digest_.update(piece.content());
    num_bytes_ += piece.size;
  }
  [[nodiscard]] std::string finish() { return digest_.finish(); }
  [[nodiscard]] std::uint64_t num_bytes() const { return num_bytes_; }

 private:
  RunningDigest digest_;
  std::uint64_t num_bytes_ = 0;
};

}  // namespace phalanx
