// Where pieces go: to a stream, in their order; to a file, each to its own place; or nowhere.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "io/atomic_file.hpp"
#include "io/byte_stream.hpp"
#include "io/output.hpp"
#include "io/piece_run.hpp"

namespace phalanx {

/// One after another to a stream, which stays the caller's.
class StreamSink : public PieceSink {
 public:
  explicit StreamSink(ByteSink& sink) : sink_(sink) {}
  [[nodiscard]] bool in_order() const override { return true; }
  void write(const Piece& piece) override { sink_.write(piece.content()); }
  void finish() override { sink_.finish(); }

 private:
  ByteSink& sink_;
};

/// Takes what comes, and keeps none of it.
class NullPieces : public PieceSink {
 public:
  [[nodiscard]] bool in_order() const override { return false; }
  void write(const Piece& /*piece*/) override {}
};

/// To a file that is not yet under its name, from `position` on, which is where piece.offset 0 goes.
class FileSink : public PieceSink {
 public:
  FileSink(AtomicFile& file, std::uint64_t position) : file_(file), position_(position), end_(position) {}
  [[nodiscard]] bool in_order() const override { return false; }
  void write(const Piece& piece) override;
  /// Cuts what was reserved and not written.
  void finish() override { file_.truncate(end_); }
  /// So long the file is, although pieces of it were written by an earlier run.
  void keep_until(std::uint64_t end) { end_ = end; }

 private:
  AtomicFile& file_;
  std::uint64_t position_;
  std::atomic<std::uint64_t> end_;
};

/// For what is written to an output that is open, behind what it holds already. `num_bytes`, where it is known, is how many
/// bytes are to come at most: a file gets room for them. Throws Error (runtime) where there is none.
[[nodiscard]] std::unique_ptr<PieceSink> sink_to(Output& output, std::optional<std::uint64_t> num_bytes);

}  // namespace phalanx
