// Where pieces come from: a stream, one after another; or a file, each from its own place.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "files/pipeline/piece.hpp"
#include "files/system/byte_stream.hpp"
#include "files/system/input.hpp"

namespace phalanx {

class PieceReader {
 public:
  virtual ~PieceReader() = default;

  /// Returns whether pieces are read one at a time, in their order. Otherwise any number of threads reads any of them.
  [[nodiscard]] virtual bool in_order() const = 0;

  /// Returns the number of pieces, or nothing where only the end shows it. Before anything is read, this call may read
  /// a stream's beginning.
  [[nodiscard]] virtual std::optional<std::uint64_t> num_pieces() = 0;

  /// Returns the number of pieces as far as it is known now. More threads than that are not worth while.
  [[nodiscard]] virtual std::optional<std::uint64_t> expected_pieces() { return num_pieces(); }

  /// The room for a piece's content that its buffer needs: for what is read, and for padding. Less than for a whole piece
  /// where the message is known to be short: for a few bytes, memory for a whole piece takes longer than all the rest.
  [[nodiscard]] virtual std::size_t buffer_bytes() = 0;

  /// False: there is no such piece. Asked before there is a buffer for it; true where only reading can show it.
  [[nodiscard]] virtual bool has_piece(std::uint64_t /*number*/) { return true; }

  /// Reads the piece with piece.number into its buffer, and sets all else of it. False: there is no such piece. Where
  /// piece.lacks_room() afterwards, nothing was read, since a file has grown: the piece is read again with a larger buffer.
  virtual bool read(Piece& piece) = 0;

  /// The run is over: whoever waits in has_piece or read is told that there is no such piece.
  virtual void stop() {}

  /// All pieces were read.
  virtual void finish() {}
};

/// Cuts a stream into pieces, each call of read the next.
class StreamPieces : public PieceReader {
 public:
  /// `piece_bytes` is a multiple of 16; `block_bytes` is the size of Piece::preceding. The source stays the caller's.
  StreamPieces(ByteSource& source, std::size_t piece_bytes, std::size_t block_bytes);

  [[nodiscard]] bool in_order() const override { return true; }
  /// 1 for a short stream: all of it is read then.
  [[nodiscard]] std::optional<std::uint64_t> num_pieces() override;
  [[nodiscard]] std::size_t buffer_bytes() override;
  bool read(Piece& piece) override;

 private:
  void read_beginning();
  void remember_last_block(const Piece& piece);

  ByteSource& source_;
  std::size_t piece_bytes_;
  std::size_t block_bytes_;
  std::uint64_t offset_ = 0;
  bool ended_ = false;
  bool has_begun_ = false;  // to read
  bool has_all_ = false;    // the stream ends with beginning_
  SecretBytes beginning_;   // read, and not yet in a piece
  std::size_t num_ahead_ = 0;
  WipedArray<largest_block_bytes> ahead_;  // read, and not yet in a piece
  ChainValue last_block_;
};

/// A message that is a part of a file. It is copied into memory of our own before anything is done with it.
class FilePieces : public PieceReader {
 public:
  struct Part {
    int file = -1;     ///< the caller's
    std::string name;  ///< for messages
    std::uint64_t position = 0;
    std::uint64_t num_bytes = 0;
  };
  FilePieces(Part part, std::size_t piece_bytes, std::size_t block_bytes);

  [[nodiscard]] bool in_order() const override { return false; }
  [[nodiscard]] std::optional<std::uint64_t> num_pieces() override;
  [[nodiscard]] std::size_t buffer_bytes() override;
  /// Throws Error (runtime), also where the file has become shorter.
  bool read(Piece& piece) override;

  /// As it was given. A file that grows has num_bytes() of it.
  [[nodiscard]] const Part& part() const { return part_; }
  [[nodiscard]] virtual std::uint64_t num_bytes() const { return part_.num_bytes; }
  [[nodiscard]] std::size_t piece_bytes() const { return piece_bytes_; }
  [[nodiscard]] std::size_t block_bytes() const { return block_bytes_; }

 protected:
  void read_range(Piece& piece, const PieceRange& range) const;
  /// A part that the file does not have. Throws Error (runtime).
  virtual void fill_missing(MutableBytes out) const;

 private:
  void read_whole(std::uint64_t offset, MutableBytes out) const;

  Part part_;
  std::size_t piece_bytes_;
  std::size_t block_bytes_;
};

/// Returns the pieces of the rest of an input: FilePieces for a file, and else StreamPieces. A file that says that it
/// is empty is read as a stream, since those of /proc say so. The input stays the caller's. A file keeps its position
/// until all pieces were read.
[[nodiscard]] std::unique_ptr<PieceReader> pieces_of(Input& input, std::size_t piece_bytes, std::size_t block_bytes);

}  // namespace phalanx
