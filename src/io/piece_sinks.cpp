#include "io/piece_sinks.hpp"

namespace phalanx {

void FileSink::write(const Piece& piece) {
  const std::uint64_t position = position_ + piece.offset;
  file_.write_at(piece.content(), position);
  const std::uint64_t end = position + piece.size;
  for (std::uint64_t seen = end_.load(); seen < end && !end_.compare_exchange_weak(seen, end);) {
  }
}

std::unique_ptr<PieceSink> sink_to(Output& output, std::optional<std::uint64_t> num_bytes) {
  AtomicFile* const file = output.file();
  if (file == nullptr) return std::make_unique<StreamSink>(output);
  const std::uint64_t position = file->size_bytes();
  if (num_bytes) file->reserve(position + *num_bytes);
  return std::make_unique<FileSink>(*file, position);
}

}  // namespace phalanx
