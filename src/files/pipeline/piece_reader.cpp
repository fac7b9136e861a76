#include "files/pipeline/piece_reader.hpp"

#include <algorithm>

#include "files/system/file_descriptor.hpp"

namespace phalanx {
namespace {

constexpr std::size_t short_bytes = std::size_t{32} << 10;

}  // namespace

StreamPieces::StreamPieces(ByteSource& source, std::size_t piece_bytes, std::size_t block_bytes)
    : source_(source), piece_bytes_(piece_bytes), block_bytes_(block_bytes) {}

void StreamPieces::read_beginning() {
  if (has_begun_) return;
  has_begun_ = true;
  beginning_ = SecretBytes(std::min(short_bytes, piece_bytes_));
  const std::size_t wanted = beginning_.size();
  beginning_.shrink(source_.read(beginning_));
  has_all_ = beginning_.size() < wanted;
}

std::optional<std::uint64_t> StreamPieces::num_pieces() {
  read_beginning();
  return has_all_ ? std::optional<std::uint64_t>(1) : std::nullopt;
}

std::size_t StreamPieces::buffer_bytes() {
  read_beginning();
  return (has_all_ ? beginning_.size() : piece_bytes_) + largest_block_bytes + max_padding_bytes;
}

bool StreamPieces::read(Piece& piece) {
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

void StreamPieces::remember_last_block(const Piece& piece) {
  if (piece.size < block_bytes_) return;
  last_block_.size = block_bytes_;
  std::copy_n(piece.buffer.begin() + static_cast<std::ptrdiff_t>(piece.size - block_bytes_), block_bytes_,
              last_block_.bytes.begin());
}

FilePieces::FilePieces(Part part, std::size_t piece_bytes, std::size_t block_bytes)
    : part_(std::move(part)), piece_bytes_(piece_bytes), block_bytes_(block_bytes) {}

std::optional<std::uint64_t> FilePieces::num_pieces() { return num_pieces_of(part_.num_bytes, piece_bytes_); }

std::size_t FilePieces::buffer_bytes() {
  const std::uint64_t largest = piece_bytes_ + largest_block_bytes;
  return static_cast<std::size_t>(std::min(part_.num_bytes, largest)) + max_padding_bytes;
}

bool FilePieces::read(Piece& piece) {
  if (piece.number >= num_pieces_of(part_.num_bytes, piece_bytes_)) return false;
  read_range(piece, piece_range(piece.number, part_.num_bytes, piece_bytes_));
  return true;
}

void FilePieces::read_range(Piece& piece, const PieceRange& range) const {
  read_whole(range.offset, piece.buffer.first(range.size));
  piece.size = piece.read_bytes = range.size;
  piece.offset = range.offset;
  piece.last = range.last;
  piece.preceding = {};
  if (range.offset == 0 || block_bytes_ == 0) return;
  piece.preceding.size = block_bytes_;
  read_whole(range.offset - block_bytes_, MutableBytes(piece.preceding.bytes).first(block_bytes_));
}

void FilePieces::read_whole(std::uint64_t offset, MutableBytes out) const {
  const std::size_t got = read_at(part_.file, out, part_.position + offset, part_.name);
  if (got < out.size()) fill_missing(out.subspan(got));
}

void FilePieces::fill_missing(MutableBytes /*out*/) const {
  throw Error(ErrorCode::runtime, part_.name + " became shorter while it was read");
}

namespace {

// Leaves the descriptor, which others may share, at the end of what was read.
class InputFilePieces : public FilePieces {
 public:
  InputFilePieces(Input& input, std::uint64_t position, std::uint64_t num_bytes, std::size_t piece_bytes,
                  std::size_t block_bytes)
      : FilePieces({input.descriptor(), input.name(), position, num_bytes}, piece_bytes, block_bytes),
        input_(input),
        end_(position + num_bytes) {}
  void finish() override { input_.seek(end_); }

 private:
  Input& input_;
  std::uint64_t end_;
};

}  // namespace

std::unique_ptr<PieceReader> pieces_of(Input& input, std::size_t piece_bytes, std::size_t block_bytes) {
  const std::uint64_t num_bytes = input.remaining_bytes().value_or(0);
  if (num_bytes == 0) return std::make_unique<StreamPieces>(input, piece_bytes, block_bytes);
  return std::make_unique<InputFilePieces>(input, input.position(), num_bytes, piece_bytes, block_bytes);
}

}  // namespace phalanx
