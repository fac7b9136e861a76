#include "files/pipeline/piece_sinks.hpp"

namespace phalanx {

void FileSink::write(const Piece& piece) {
  const std::uint64_t position = position_ + piece.offset;
  file_.write_at(piece.content(), position);
  extend(position + piece.size);
}

void FileSink::extend(std::uint64_t end) {
  for (std::uint64_t seen = end_.load(); seen < end && !end_.compare_exchange_weak(seen, end);) {
  }
}

namespace {

class OutputFileSink : public FileSink {
 public:
  OutputFileSink(AtomicFile& file, std::uint64_t position) : FileSink(file, position), atomic_file_(file) {}
  void finish() override { atomic_file_.truncate(end()); }

 private:
  AtomicFile& atomic_file_;
};

}  // namespace

// Room is taken while nothing is there that another program could cut off unseen. The few bytes of a brief file need none:
// the file system has room for them, or refuses them, as soon as they are written.
std::unique_ptr<PieceSink> sink_to(Output& output, Bytes beginning, std::optional<std::uint64_t> num_bytes) {
  AtomicFile* const file = output.file();
  if (output.is_null()) return std::make_unique<NullPieces>();
  if (file == nullptr) {
    output.write(beginning);
    return std::make_unique<StreamSink>(output);
  }
  if (num_bytes && output.is_brief()) file->grow(beginning.size() + *num_bytes);
  if (num_bytes && !output.is_brief()) file->reserve(beginning.size() + *num_bytes);
  if (!beginning.empty()) file->write_at(beginning, 0);
  return std::make_unique<OutputFileSink>(*file, beginning.size());
}

}  // namespace phalanx
