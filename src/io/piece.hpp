// The pieces in which a message goes through the program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engines/secret_bytes.hpp"
#include "io/byte_stream.hpp"
#include "phalanx/phalanx.hpp"

namespace phalanx {

/// One piece of a message, crypted where it lies.
struct Piece {
  MutableBytes buffer;       ///< at least size + max_padding_bytes
  std::size_t size = 0;      ///< bytes of message in the buffer
  std::uint64_t offset = 0;  ///< of the piece in the message
  ChainValue preceding;      ///< as read: the block before the piece; at offset 0 nothing. For CBC and CFB decryption
  bool last = false;
  std::size_t read_bytes = 0;  ///< `size` before crypting changed it
};

inline constexpr std::size_t largest_block_bytes = 16;
inline constexpr std::size_t max_padding_bytes = largest_block_bytes;

/// The usual piece. A multiple of every block and group of lanes.
inline constexpr std::size_t default_piece_bytes = std::size_t{4} << 20;

/// Cuts a stream into pieces of piece_bytes, the last of which holds at least a block if the stream does: between 16 and
/// piece_bytes + 15 bytes. So the last two blocks of XTS, and a block with padding, are never apart from the rest.
class PieceReader {
 public:
  /// `piece_bytes` is a multiple of 16; `block_bytes` is the size of Piece::preceding.
  PieceReader(ByteSource& source, std::size_t piece_bytes, std::size_t block_bytes);

  /// The size a Piece's buffer needs: room for the bytes read ahead and for padding.
  [[nodiscard]] std::size_t buffer_bytes() const { return piece_bytes_ + largest_block_bytes + max_padding_bytes; }

  /// The same of the next piece alone: less for a short stream, all of which is read then, and 0 where there is no piece any
  /// more. For a few bytes, memory for a whole piece takes longer than all the rest.
  [[nodiscard]] std::size_t next_buffer_bytes();

  /// Whether next_buffer_bytes has found the stream short: one piece is all.
  [[nodiscard]] bool is_short() const { return has_all_; }

  /// Fills the next piece, whose `buffer` is set. Returns false after the last. An empty stream has one piece, empty.
  bool next(Piece& piece);

 private:
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

}  // namespace phalanx
