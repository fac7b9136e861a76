// A stream of what pieces become in a stage, for a caller that reads one part after another.
#pragma once

#include "files/pipeline/piece_reader.hpp"
#include "files/pipeline/scheduler.hpp"
#include "files/system/byte_stream.hpp"

namespace phalanx {

/// Reads pieces in their order and takes each through the stage, in the thread of the caller. Reader and stage stay the
/// caller's. The caller must not read again after a failure.
class StagedSource : public ByteSource {
 public:
  StagedSource(PieceReader& reader, PipelineStage& stage) : reader_(reader), stage_(stage) {}

  std::size_t read(MutableBytes out) override;
  /// Returns whether all pieces were read.
  [[nodiscard]] bool is_at_end() const { return is_at_end_; }
  /// Gives back the memory of the piece, which is wiped.
  void forget();

 private:
  bool advance();

  PieceReader& reader_;
  PipelineStage& stage_;
  SecretBytes memory_;
  Piece piece_;
  std::size_t num_taken_ = 0;  // bytes of the piece that were handed out
  bool is_at_end_ = false;
};

}  // namespace phalanx
