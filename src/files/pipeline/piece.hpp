// The pieces in which a message goes through the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <phalanx/bytes.hpp>
#include <phalanx/cipher.hpp>
#include <utility>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

inline constexpr std::size_t smallest_block_bytes = 8;
inline constexpr std::size_t largest_block_bytes = 16;
inline constexpr std::size_t max_padding_bytes = largest_block_bytes;

/// The usual piece: what a core has in its own caches while it is crypted. A multiple of every block and group of lanes.
inline constexpr std::size_t default_piece_bytes = std::size_t{1} << 20;

/// Where a piece lies in its message. Pieces are of one size; the last holds at least a block if the message does, up to
/// 15 bytes more than the others. So the last two blocks of XTS, and a block with padding, are never apart from the rest.
struct PieceRange {
  std::uint64_t offset = 0;
  std::size_t size = 0;
  bool last = false;
};

/// One at least: a message of no bytes has one piece, empty.
[[nodiscard]] constexpr std::uint64_t num_pieces_of(std::uint64_t message_bytes, std::size_t bytes_of_piece) {
  const std::uint64_t whole = message_bytes / bytes_of_piece;
  const bool ends_in_them = whole != 0 && message_bytes % bytes_of_piece < largest_block_bytes;
  return whole + (ends_in_them ? 0 : 1);
}

/// `number` is less than num_pieces_of.
[[nodiscard]] constexpr PieceRange piece_range(std::uint64_t number, std::uint64_t message_bytes,
                                               std::size_t bytes_of_piece) {
  PieceRange range{.offset = number * bytes_of_piece};
  const std::uint64_t rest = message_bytes - range.offset;
  range.last = rest < bytes_of_piece + largest_block_bytes;
  range.size = range.last ? static_cast<std::size_t>(rest) : bytes_of_piece;
  return range;
}

/// A piece goes with its memory from the reader through the stages to the sink.
struct Piece {
  std::uint64_t number = 0;  ///< in the message
  MutableBytes buffer;       ///< holds `size` bytes of message, and has room for max_padding_bytes more
  MutableBytes spare;        ///< where a stage that does not work in place writes; it swaps both then
  std::size_t size = 0;
  std::uint64_t offset = 0;  ///< in the message, as it is after the last stage
  ChainValue preceding;      ///< as read: the block before the piece; at offset 0 nothing. For CBC and CFB decryption
  bool last = false;
  std::size_t read_bytes = 0;  ///< `size` when it was read

  [[nodiscard]] Bytes content() const { return buffer.first(size); }

  /// Returns whether the buffer is too small for the piece, which was to be read, and for padding.
  [[nodiscard]] bool lacks_room() const { return size + max_padding_bytes > buffer.size(); }

  /// Makes the bytes that a stage wrote to `spare` the piece's content.
  void take_spare(std::uint64_t new_offset, std::size_t new_size) {
    std::swap(buffer, spare);
    offset = new_offset;
    size = new_size;
  }
};

}  // namespace phalanx
