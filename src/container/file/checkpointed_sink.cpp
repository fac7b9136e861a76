#include "container/file/checkpointed_sink.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "container/file/stages.hpp"
#include "files/file_descriptor.hpp"

namespace phalanx {
namespace {

// How much may have to be done again after a kill. Each time, what was written is made durable: seldom enough to cost
// nothing.
constexpr std::chrono::seconds between_checkpoints{5};

}  // namespace

CheckpointedSink::CheckpointedSink(WrittenFile& file, RecordFile& records, const PlaintextMacKey& key,
                                   std::uint64_t sealed_bytes, Progress& progress)
    : FileSink(file, 0),
      records_(records),
      key_(key),
      sealed_bytes_(sealed_bytes),
      num_found_(records.num_pieces()),
      progress_(progress) {}

bool CheckpointedSink::wants(std::uint64_t number) {
  if (number >= num_found_ || sealed_bytes_ == 0 || !is_there(number)) return true;
  progress_.add(piece_range(number, sealed_bytes_, sealed_piece_bytes).size);
  return false;
}

bool CheckpointedSink::is_there(std::uint64_t number) const {
  const std::optional<TagMacs> found = records_.find(number);
  if (!found || found->size() != 1) return false;
  const PieceRange sealed = piece_range(number, sealed_bytes_, sealed_piece_bytes);
  const std::size_t num_chunks = (sealed.size + sealed_chunk_bytes - 1) / sealed_chunk_bytes;
  SecretBytes plain(sealed.size - std::min(sealed.size, num_chunks * chunk_tag_bytes));
  const std::uint64_t position = number * plain_piece_bytes;
  if (read_at(file().descriptor(), plain, position, file().partial_path()) != plain.size()) return false;
  return key_.tag_of(number, plain) == found->front();
}

void CheckpointedSink::write(const Piece& piece) {
  FileSink::write(piece);
  const Cmac mac = key_.tag_of(piece.number, piece.content());
  std::vector<RecordFile::Record> written;
  {
    const std::lock_guard lock(mutex_);
    written_.push_back({piece.number, {mac}});
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < between_checkpoints || is_recording_) return;
    last_ = now;
    is_recording_ = true;
    written.swap(written_);
  }
  record(written);
}

void CheckpointedSink::record(const std::vector<RecordFile::Record>& written) {
  if (!sync_data(file().descriptor())) throw_system_error("write", file().partial_path());
  records_.write(written);
  const std::lock_guard lock(mutex_);
  is_recording_ = false;
}

}  // namespace phalanx
