// Reading, crypting and writing, overlapped.
#pragma once

#include <cstdint>
#include <span>

#include "io/chunk.hpp"
#include "io/progress.hpp"

namespace phalanx {

/// Chunks in flight at once. What a run takes, whatever its length and the number of threads, is the memory of this many chunks
/// (24 MiB with the usual ones), for each stage with buffers of its own as much again, and what the program itself takes.
inline constexpr std::size_t chunks_in_flight = 6;

/// What is done to chunks between reading and writing, on as many threads as it likes.
class ChunkStage {
 public:
  virtual ~ChunkStage() = default;

  /// Changes the chunk where it lies, or gives it another buffer, which stays as it is until chunks_in_flight - 1 more chunks
  /// have come. The chunks of a message come in order, one at a time.
  virtual void process(Chunk& chunk) = 0;
};

/// Reads a message to its end, takes each chunk through the stages and writes it to `sink`, all at the same time. Finishes the sink.
/// Returns the bytes read. The memory of the chunks is wiped. An Error of any of them ends all of them.
std::uint64_t run_pipeline(ChunkReader& reader, std::span<ChunkStage* const> stages, ByteSink& sink, Progress& progress);

}  // namespace phalanx
