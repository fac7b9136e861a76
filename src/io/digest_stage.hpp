// The SHA-256 of a message on its way.
#pragma once

#include <memory>
#include <string>

#include "io/byte_stream.hpp"
#include "io/pipeline.hpp"
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

/// Digests the pieces of a pipeline as they are at its place among the stages, while other stages work on others.
class DigestStage : public PieceStage {
 public:
  void process(Piece& piece) override { digest_.update(piece.buffer.first(piece.size)); }
  [[nodiscard]] std::string finish() { return digest_.finish(); }

 private:
  RunningDigest digest_;
};

/// Digests a stream and writes it nowhere.
class DigestSink : public ByteSink {
 public:
  void write(Bytes in) override {
    digest_.update(in);
    num_bytes_ += in.size();
  }
  [[nodiscard]] std::string digest() { return digest_.finish(); }
  [[nodiscard]] std::uint64_t num_bytes() const { return num_bytes_; }

 private:
  RunningDigest digest_;
  std::uint64_t num_bytes_ = 0;
};

}  // namespace phalanx
