// Reading, crypting and writing, overlapped.
#pragma once

#include <cstdint>
#include <span>

#include "io/piece.hpp"
#include "io/progress.hpp"

namespace phalanx {

/// Pieces in flight at once. What a run takes, whatever its length and the number of threads, is the memory of this many
/// pieces (24 MiB with the usual ones), for each stage with buffers of its own as much again, and what the program itself
/// takes.
inline constexpr std::size_t pieces_in_flight = 6;

/// What is done to pieces between reading and writing, on as many threads as it likes.
class PieceStage {
 public:
  virtual ~PieceStage() = default;

  /// Changes the piece where it lies, or gives it another buffer, which stays as it is until pieces_in_flight - 1 more
  /// pieces have come. The pieces of a message come in order, one at a time.
  virtual void process(Piece& piece) = 0;
};

/// Reads a message to its end, takes each piece through the stages and writes it to `sink`, all at the same time. Finishes
/// the sink. Returns the bytes read. The memory of the pieces is wiped. An Error of any of them ends all of them.
std::uint64_t run_pipeline(PieceReader& reader, std::span<PieceStage* const> stages, ByteSink& sink, Progress& progress);

}  // namespace phalanx
