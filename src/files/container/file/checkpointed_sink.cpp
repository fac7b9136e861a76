#include "files/container/file/checkpointed_sink.hpp"

#include <vector>

#include "files/container/file/stages.hpp"

namespace phalanx {

CheckpointedSink::CheckpointedSink(WrittenFile& file, RecordFile& records, const PlaintextMacKey& key,
                                   std::uint64_t sealed_bytes, Progress& progress)
    : FileSink(file, 0),
      records_(records),
      key_(key),
      sealed_bytes_(sealed_bytes),
      num_found_(records.num_pieces()),
      progress_(progress),
      checkpoints_(file, [&records](const std::vector<RecordFile::Record>& written) { records.write(written); }) {}

bool CheckpointedSink::wants(std::uint64_t number) {
  if (number >= num_found_ || sealed_bytes_ == 0 || !records_.is_on_disk(number)) return true;
  progress_.add(piece_range(number, sealed_bytes_, sealed_piece_bytes).size);
  return false;
}

void CheckpointedSink::write(const Piece& piece) {
  FileSink::write(piece);
  checkpoints_.add({piece.number, {key_.tag_of(piece.number, piece.content())}});
}

}  // namespace phalanx
