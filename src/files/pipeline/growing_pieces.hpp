// Pieces of a file that another program may be writing.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "files/pipeline/piece_reader.hpp"
#include "files/system/input_watch.hpp"

namespace phalanx {

/// Reads a file that may be growing. The piece that seems to be the last is read once all before it were, and given out
/// only when the file has no more then. So bytes that are appended until that moment are read too.
class GrowingFilePieces : public FilePieces {
 public:
  /// Reading has begun; the watch stays the caller's.
  GrowingFilePieces(InputWatch& watch, std::size_t piece_bytes, std::size_t block_bytes);

  /// Known once the end is settled.
  [[nodiscard]] std::optional<std::uint64_t> num_pieces() override;
  [[nodiscard]] std::optional<std::uint64_t> expected_pieces() override;
  [[nodiscard]] std::size_t buffer_bytes() override;
  /// Waits where that is not yet known.
  [[nodiscard]] bool has_piece(std::uint64_t number) override;
  bool read(Piece& piece) override;
  void stop() override;
  /// From now on the end is where it is: what is appended later is not read.
  void settle() { watch_.settle(); }
  [[nodiscard]] std::uint64_t num_bytes() const override { return watch_.num_bytes(); }
  void finish() override;

 protected:
  void fill_missing(MutableBytes out) const override;

 private:
  void count_read();

  InputWatch& watch_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t num_read_ = 0;  // whole pieces, before the end is settled
  bool is_stopped_ = false;
};

/// Returns the pieces of the rest of the watched input, which begins to be read: a GrowingFilePieces, or the pieces
/// that the other pieces_of returns. The watch stays the caller's.
[[nodiscard]] std::unique_ptr<PieceReader> pieces_of(InputWatch& watch, std::size_t piece_bytes, std::size_t block_bytes);

}  // namespace phalanx
