#include <algorithm>

#include "io/piece.hpp"

namespace phalanx {
namespace {

constexpr std::size_t short_bytes = std::size_t{32} << 10;

}  // namespace

PieceReader::PieceReader(ByteSource& source, std::size_t piece_bytes, std::size_t block_bytes)
    : source_(source), piece_bytes_(piece_bytes), block_bytes_(block_bytes) {}

std::size_t PieceReader::next_buffer_bytes() {
  if (ended_) return 0;
  if (!has_begun_) {
    has_begun_ = true;
    beginning_ = SecretBytes(std::min(short_bytes, piece_bytes_));
    const std::size_t wanted = beginning_.size();
    beginning_.shrink(source_.read(beginning_));
    has_all_ = beginning_.size() < wanted;
  }
  return has_all_ ? beginning_.size() + largest_block_bytes + max_padding_bytes : buffer_bytes();
}

bool PieceReader::next(Piece& piece) {
  if (ended_) return false;
  has_begun_ = true;
  std::copy_n(ahead_.bytes, num_ahead_, piece.buffer.begin());
  const std::size_t wanted = piece_bytes_ + largest_block_bytes;
  std::size_t have = num_ahead_;
  if (beginning_.size() != 0) {
    std::ranges::copy(beginning_, piece.buffer.begin());
    have = beginning_.size();
    beginning_ = SecretBytes();
  }
  if (!has_all_) have += source_.read(piece.buffer.subspan(have, wanted - have));
  ended_ = have < wanted;
  piece.size = piece.read_bytes = ended_ ? have : piece_bytes_;
  piece.offset = offset_;
  piece.last = ended_;
  piece.preceding = last_block_;
  num_ahead_ = have - piece.size;
  std::copy_n(piece.buffer.begin() + static_cast<std::ptrdiff_t>(piece.size), num_ahead_, ahead_.bytes);
  offset_ += piece.size;
  remember_last_block(piece);
  return true;
}

void PieceReader::remember_last_block(const Piece& piece) {
  if (piece.size < block_bytes_) return;
  last_block_.size = block_bytes_;
  std::copy_n(piece.buffer.begin() + static_cast<std::ptrdiff_t>(piece.size - block_bytes_), block_bytes_,
              last_block_.bytes.begin());
}

}  // namespace phalanx
