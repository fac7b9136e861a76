// Where pieces go: to a stream, in their order; to a file, each to its own place; or nowhere.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "files/pipeline/scheduler.hpp"
#include "files/system/byte_stream.hpp"
#include "files/system/output/atomic_file.hpp"
#include "files/system/output/output.hpp"

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
  FileSink(WrittenFile& file, std::uint64_t position) : file_(file), position_(position), end_(position) {}
  [[nodiscard]] bool in_order() const override { return false; }
  void write(const Piece& piece) override;

  [[nodiscard]] WrittenFile& file() const { return file_; }
  [[nodiscard]] std::uint64_t position() const { return position_; }

  /// The end of what was written.
  [[nodiscard]] std::uint64_t end() const { return end_; }
  /// So long the file is at least: pieces of it were written by somebody else, or by an earlier run.
  void extend(std::uint64_t end);

 private:
  WrittenFile& file_;
  std::uint64_t position_;
  std::atomic<std::uint64_t> end_;
};

/// For what is written to an output that is open and empty: `beginning`, and then pieces. Finishing it cuts what was
/// reserved in vain. `num_bytes`, where it is known, is how many bytes are to come at most: a file gets room for them.
/// Throws Error (runtime) where there is none.
[[nodiscard]] std::unique_ptr<PieceSink> sink_to(Output& output, Bytes beginning, std::optional<std::uint64_t> num_bytes);

}  // namespace phalanx
