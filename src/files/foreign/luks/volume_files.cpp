#include "files/foreign/luks/volume_files.hpp"

#include <algorithm>
#include <phalanx/error.hpp>

#include "engine/library/argument_checks.hpp"
#include "files/pipeline/piece_reader.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/pipeline/scheduler.hpp"

namespace phalanx {
namespace {

// Gives the sectors of a volume, in pieces that know their place in it.
class VolumePieces : public PieceReader {
 public:
  VolumePieces(const LuksVolume& volume, std::uint64_t begin, std::uint64_t num_bytes, std::size_t piece_bytes)
      : volume_(volume), begin_(begin), num_bytes_(num_bytes), piece_bytes_(piece_bytes) {}

  [[nodiscard]] bool in_order() const override { return false; }
  [[nodiscard]] std::optional<std::uint64_t> num_pieces() override { return num_pieces_of(num_bytes_, piece_bytes_); }
  [[nodiscard]] std::size_t buffer_bytes() override {
    return static_cast<std::size_t>(std::min<std::uint64_t>(num_bytes_, piece_bytes_)) + max_padding_bytes;
  }
  bool read(Piece& piece) override;

 private:
  const LuksVolume& volume_;
  std::uint64_t begin_, num_bytes_;
  std::size_t piece_bytes_;
};

bool VolumePieces::read(Piece& piece) {
  if (piece.number >= num_pieces_of(num_bytes_, piece_bytes_)) return false;
  const PieceRange range = piece_range(piece.number, num_bytes_, piece_bytes_);
  piece.offset = begin_ + range.offset;
  piece.size = piece.read_bytes = range.size;
  piece.last = range.last;
  piece.preceding = {};
  volume_.read_ciphertext(piece.offset, piece.buffer.first(piece.size));
  return true;
}

// Decrypts a piece, and cuts off what the slice does not have.
class VolumeStage : public PipelineStage {
 public:
  VolumeStage(const LuksVolume& volume, std::uint64_t begin, std::uint64_t end)
      : volume_(volume), begin_(begin), end_(end) {}

  void process(Piece& piece) override {
    volume_.decrypt(piece.offset, piece.buffer.first(piece.size));
    const std::uint64_t begin = std::max(piece.offset, begin_), end = std::min(piece.offset + piece.size, end_);
    piece.buffer = piece.buffer.subspan(static_cast<std::size_t>(begin - piece.offset));
    piece.size = static_cast<std::size_t>(end - begin);
    piece.offset = begin - begin_;
  }

 private:
  const LuksVolume& volume_;
  std::uint64_t begin_, end_;
};

std::size_t piece_bytes_on(std::string_view engine) {
  constexpr std::size_t pieces_on_gpu = 16;
  return default_piece_bytes * (is_gpu(engine) ? pieces_on_gpu : 1);
}

}  // namespace

VolumeSlice::VolumeSlice(const LuksVolume& volume, const Slice& slice) : volume_(volume) {
  const std::uint64_t all = volume.num_bytes();
  const bool fits = slice.offset <= all && slice.num_bytes.value_or(0) <= all - slice.offset;
  if (!fits) throw Error(ErrorCode::usage, "the volume has " + text_of(all) + ", and the range ends behind it");
  begin_ = slice.offset;
  end_ = slice.num_bytes ? begin_ + *slice.num_bytes : all;
  const std::uint64_t unit = volume.unit_bytes();
  first_read_ = begin_ == end_ ? begin_ : begin_ / unit * unit;
  end_of_reading_ = begin_ == end_ ? begin_ : std::min(end_ + (unit - end_ % unit) % unit, all);
}

void VolumeSlice::decrypt(InputWatch& watch, Output& output, const RunOptions& options,
                          const std::function<void(const std::string& what)>& on_input_change, Progress& progress) const {
  if (num_bytes() != 0) {
    VolumePieces pieces(volume_, first_read_, read_bytes(), piece_bytes_on(volume_.engine()));
    VolumeStage stage(volume_, begin_, end_);
    PipelineStage* const stages[] = {&stage};
    const std::unique_ptr<PieceSink> sink = sink_to(output, {}, num_bytes());
    run_pieces(pieces, stages, *sink, progress, piece_threads(options, volume_.engine()));
  }
  Input& input = watch.input();
  input.seek(input.position() + input.remaining_bytes().value_or(0));  // judge() counts what is behind it as new
  const std::string what = watch.judge();
  if (!what.empty() && on_input_change) on_input_change(what);
  output.commit();
}

}  // namespace phalanx
