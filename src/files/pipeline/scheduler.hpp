// The scheduler: pieces of a message, each read, crypted and written by whichever thread takes it.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/engines/keyed_aead.hpp"
#include "files/pipeline/piece.hpp"
#include "files/pipeline/piece_reader.hpp"
#include "files/pipeline/run_executor.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// A stage works on pieces between reading and writing.
class PipelineStage {
 public:
  virtual ~PipelineStage() = default;

  /// Returns whether pieces must come one at a time, in their order. Otherwise any number of threads calls process at
  /// once.
  [[nodiscard]] virtual bool in_order() const { return false; }

  /// The size that Piece::spare needs for a piece's buffer of that size; 0 if it is not used.
  [[nodiscard]] virtual std::size_t spare_bytes(std::size_t /*buffer_bytes*/) const { return 0; }

  /// Locks a piece's memory, which outlives the lock, for an engine that gains by it. nullptr: none does.
  [[nodiscard]] virtual std::unique_ptr<PageLock> lock_pages(MutableBytes /*memory*/) const { return nullptr; }

  /// Returns whether the stage leaves pieces as they are. Then a piece that must be made once more need not go through
  /// it again.
  [[nodiscard]] virtual bool only_reads() const { return false; }

  /// Changes the piece where it lies, or by way of `spare`.
  virtual void process(Piece& piece) = 0;
};

/// Where pieces go.
class PieceSink {
 public:
  virtual ~PieceSink() = default;

  /// Returns whether pieces must come one at a time, in their order.
  [[nodiscard]] virtual bool in_order() const = 0;

  /// Returns whether a piece is to be done at all. Only a sink without an order may say no.
  [[nodiscard]] virtual bool wants(std::uint64_t /*number*/) { return true; }

  virtual void write(const Piece& piece) = 0;

  /// All pieces were written. Called once, by one thread.
  virtual void finish() {}
};

/// The queue says which pieces are to be done, and in which order. Any number of threads asks it.
class WorkQueue {
 public:
  virtual ~WorkQueue() = default;

  /// The number of a piece that nobody has taken yet; nothing when all are taken. Where anything wants the pieces in order,
  /// they are consecutive numbers.
  virtual std::optional<std::uint64_t> next() = 0;
};

/// A run is done by so many threads, or by the executor.
struct PieceThreads {
  int num_threads = 0;              ///< that crypt at once; 0: all that the process may use
  bool on_gpu = false;              ///< what crypts is no CPU's engine, which takes pieces one after another
  RunExecutor* executor = nullptr;  ///< the caller's; nullptr: these threads alone
  std::string asked_engine{};       ///< what the executor is told
};

/// Returns whether a keyed cipher's engine, "cpu:avx2" or "cuda:0", is a GPU's.
[[nodiscard]] inline bool is_gpu(std::string_view engine) { return !engine.starts_with("cpu"); }

/// `engine` is what crypts; that of the options may be "cuda" or "auto".
[[nodiscard]] PieceThreads piece_threads(const RunOptions& options, std::string_view engine);

/// Takes each piece that the sink wants from the reader through the stages to the sink. Pieces are done side by side, but
/// for what must be in order. Finishes reader and sink. Returns the bytes read. The pieces' memory is wiped. Where
/// there is an executor that takes the run, that does it.
///
/// An Error ends the run: pieces before the one that failed are still done, no more are begun, and the Error of the first
/// piece that failed is thrown. Where threads cannot be made, fewer do it.
///
/// Memory: for each thread that crypts and a few more, two pieces at most.
std::uint64_t run_pieces(PieceReader& reader, std::span<PipelineStage* const> stages, PieceSink& sink, Progress& progress,
                         const PieceThreads& threads);

/// No piece has this number.
inline constexpr std::uint64_t no_piece = ~std::uint64_t{0};

/// A run of some pieces returns this.
struct SomePieces {
  std::uint64_t num_bytes = 0;
  std::uint64_t failed_piece = no_piece;
  std::exception_ptr failure{};  ///< of that piece
};

/// Where the time of a run went, in seconds of all its threads together.
struct PieceTimes {
  double reading = 0, crypting = 0, writing = 0, waiting = 0;
  std::uint64_t num_bytes = 0;
};

/// Takes the pieces of a queue through, as run_pieces does, but by this process alone. It finishes neither reader nor
/// sink, and throws no Error of a piece: it returns it.
[[nodiscard]] SomePieces run_some_pieces(PieceReader& reader, std::span<PipelineStage* const> stages, PieceSink& sink,
                                         Progress& progress, const PieceThreads& threads, WorkQueue& queue,
                                         PieceTimes* times = nullptr);

}  // namespace phalanx
