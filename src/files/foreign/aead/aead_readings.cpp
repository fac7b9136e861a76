#include "files/foreign/aead/aead_readings.hpp"

#include "engine/bytes/equal_bytes.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/pipeline/scheduler.hpp"

namespace phalanx {

AeadReadings::AeadReadings(std::uint64_t most_bytes, std::size_t piece_bytes)
    : piece_bytes_(piece_bytes), hashes_(num_pieces_of(most_bytes, piece_bytes)) {}

void AeadReadings::hash(const AeadInParts& message, PieceReader& pieces, const RunOptions& options, Progress& progress) {
  AeadHashing hashing(message, hashes_);
  PipelineStage* const stages[] = {&hashing};
  NullPieces nowhere;
  num_bytes_ = run_pieces(pieces, stages, nowhere, progress, piece_threads(options, message.engine()));
}

bool AeadReadings::is_tag(const AeadInParts& message, Bytes tag) {
  AeadTag sum(message);
  const std::uint64_t num_pieces = num_pieces_of(num_bytes_, piece_bytes_);
  for (std::uint64_t number = 0; number < num_pieces; ++number)
    sum.add(hashes_.of(number), piece_range(number, num_bytes_, piece_bytes_).size);
  WipedArray<aead_tag_bytes> right;
  sum.write(right.bytes);
  return tag.size() <= aead_tag_bytes && are_equal(right.bytes, tag.data(), tag.size());
}

}  // namespace phalanx
