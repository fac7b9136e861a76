#include "files/pipeline/growing_pieces.hpp"

#include <algorithm>

#include "files/system/file_descriptor.hpp"

namespace phalanx {

GrowingFilePieces::GrowingFilePieces(InputWatch& watch, std::size_t piece_bytes, std::size_t block_bytes)
    : FilePieces({watch.input().descriptor(), watch.input().name(), watch.position(), 0}, piece_bytes, block_bytes),
      watch_(watch) {}

std::optional<std::uint64_t> GrowingFilePieces::num_pieces() {
  return watch_.is_settled() ? expected_pieces() : std::nullopt;
}

std::optional<std::uint64_t> GrowingFilePieces::expected_pieces() { return num_pieces_of(num_bytes(), piece_bytes()); }

std::size_t GrowingFilePieces::buffer_bytes() {
  const std::uint64_t largest = piece_bytes() + largest_block_bytes;
  return static_cast<std::size_t>(std::min(num_bytes(), largest)) + max_padding_bytes;
}

// False: there will be no such piece. The last one waits for all others, and those behind it wait for it.
bool GrowingFilePieces::has_piece(std::uint64_t number) {
  std::unique_lock lock(mutex_);
  std::uint64_t last = 0;
  changed_.wait(lock, [&] {
    last = num_pieces_of(num_bytes(), piece_bytes()) - 1;
    return is_stopped_ || watch_.is_settled() || number < last || (number == last && num_read_ >= last);
  });
  return number < last || (number == last && (watch_.is_settled() || !is_stopped_));
}

void GrowingFilePieces::count_read() {
  bool are_all = false;
  {
    const std::lock_guard lock(mutex_);
    are_all = ++num_read_ >= num_pieces_of(num_bytes(), piece_bytes()) - 1;
  }
  if (are_all) changed_.notify_all();
}

bool GrowingFilePieces::read(Piece& piece) {
  if (!has_piece(piece.number)) return false;
  for (;;) {
    const bool is_settled = watch_.is_settled();
    const PieceRange range = piece_range(piece.number, num_bytes(), piece_bytes());
    piece.size = range.size;
    if (piece.lacks_room()) return true;
    read_range(piece, range);
    if (!range.last) count_read();
    if (!range.last || is_settled) return true;
    const bool has_grown = watch_.has_grown();
    { const std::lock_guard lock(mutex_); }  // whoever looked before is waiting now
    changed_.notify_all();
    if (!has_grown) return true;
  }
}

void GrowingFilePieces::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  changed_.notify_all();
}

void GrowingFilePieces::finish() { watch_.input().seek(watch_.position() + num_bytes()); }

void GrowingFilePieces::fill_missing(MutableBytes out) const {
  watch_.lose(out.size());
  std::ranges::fill(out, std::uint8_t{0});
}

namespace {

// As files of /proc do; not one that is empty, nor one that has just grown.
bool says_wrongly_it_is_empty(InputWatch& watch) {
  if (watch.num_bytes() != 0) return false;
  std::uint8_t byte[1];
  if (read_at(watch.input().descriptor(), byte, watch.position(), watch.input().name()) == 0) return false;
  watch.input().look_again();
  watch.begin();
  return watch.num_bytes() == 0;
}

}  // namespace

std::unique_ptr<PieceReader> pieces_of(InputWatch& watch, std::size_t piece_bytes, std::size_t block_bytes) {
  watch.begin();
  if (!watch.is_file() || says_wrongly_it_is_empty(watch)) return pieces_of(watch.input(), piece_bytes, block_bytes);
  return std::make_unique<GrowingFilePieces>(watch, piece_bytes, block_bytes);
}

}  // namespace phalanx
