#include "files/container/file/believed_pieces.hpp"

#include <algorithm>
#include <string>

#include "files/container/file/recorded_sink.hpp"
#include "files/container/file/stages.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/pipeline/scheduler.hpp"

namespace phalanx {
namespace {

// Only the first pieces are looked up, which are of one size. The last piece of a message has another size, and is written
// once more.
BelievedPieces pieces_on_disk(const RecordFile& records, std::uint64_t num_pieces) {
  BelievedPieces pieces(static_cast<std::size_t>(std::min(num_pieces, records.num_pieces())));
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) pieces[piece] = records.is_on_disk(piece);
  while (!pieces.empty() && !pieces.back()) pieces.pop_back();
  return pieces;
}

[[noreturn]] void throw_lost() { throw Error(ErrorCode::authentication, "a piece is not as it was recorded"); }

// Compares sealed pieces with their records, before they are opened.
class RecordedTagsStage : public PipelineStage {
 public:
  explicit RecordedTagsStage(const RecordFile& records) : records_(records) {}
  [[nodiscard]] bool only_reads() const override { return true; }
  void process(Piece& piece) override {
    if (records_.find(piece.number) != records_.macs_of(piece.number * chunks_of_piece, tags_of(piece.content())))
      throw_lost();
  }

 private:
  const RecordFile& records_;
};

class RecordedPlaintextStage : public PipelineStage {
 public:
  RecordedPlaintextStage(const RecordFile& records, const PlaintextMacKey& key) : records_(records), key_(key) {}
  [[nodiscard]] bool only_reads() const override { return true; }
  void process(Piece& piece) override {
    if (records_.find(piece.number) != TagMacs{key_.tag_of(piece.number, piece.content())}) throw_lost();
  }

 private:
  const RecordFile& records_;
  const PlaintextMacKey& key_;
};

class PiecesToRead : public PieceSink {
 public:
  explicit PiecesToRead(const BelievedPieces& pieces) : pieces_(pieces) {}
  [[nodiscard]] bool in_order() const override { return false; }
  [[nodiscard]] bool wants(std::uint64_t number) override { return number < pieces_.size() && pieces_[number]; }
  void write(const Piece& /*piece*/) override {}

 private:
  const BelievedPieces& pieces_;
};

// Says whether all pieces go through the stages. A piece that cannot be read counts as missing.
bool do_verify(const BelievedPieces& pieces, FilePieces& reader, std::span<PipelineStage* const> stages,
               PieceThreads threads) {
  if (pieces.empty()) return true;
  PiecesToRead sink(pieces);
  Progress uncounted;
  threads.executor = nullptr;
  try {
    run_pieces(reader, stages, sink, uncounted, threads);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::optional<BelievedPieces> believed_sealed_pieces(const ChunkedCipher& cipher, const AtomicFile& file,
                                                     std::uint64_t body_position, const RecordFile& records,
                                                     const RunOptions& options) {
  const std::uint64_t num_found = records.num_pieces();
  BelievedPieces pieces = pieces_on_disk(records, records.message_bytes() ? num_found - 1 : num_found);
  FilePieces reader({file.descriptor(), file.partial_path(), body_position, pieces.size() * sealed_piece_bytes},
                    sealed_piece_bytes, 0);
  RecordedTagsStage tags(records);
  OpenStage open(cipher, 0, false);
  PipelineStage* const stages[] = {&tags, &open};
  if (!do_verify(pieces, reader, stages, piece_threads(options, cipher.engine()))) return std::nullopt;
  return pieces;
}

std::optional<BelievedPieces> believed_written_pieces(const PlaintextMacKey& key, const AtomicFile& file,
                                                      std::uint64_t plain_bytes, const RecordFile& records,
                                                      const RunOptions& options) {
  BelievedPieces pieces = pieces_on_disk(records, plain_bytes / plain_piece_bytes);
  FilePieces reader({file.descriptor(), file.partial_path(), 0, pieces.size() * plain_piece_bytes}, plain_piece_bytes, 0);
  RecordedPlaintextStage plaintext(records, key);
  PipelineStage* const stages[] = {&plaintext};
  if (!do_verify(pieces, reader, stages, piece_threads(options, "cpu"))) return std::nullopt;
  return pieces;
}

void keep_believed(AtomicFile& file, RecordFile& records, BelievedPieces believed, std::uint64_t position,
                   std::uint64_t piece_bytes) {
  for (auto gap = std::ranges::find(believed, false); gap != believed.end();) {
    const auto end = std::find(gap, believed.end(), true);
    const auto place_of = [&](auto piece) {
      return position + static_cast<std::uint64_t>(piece - believed.begin()) * piece_bytes;
    };
    if (!file.make_hole(place_of(gap), place_of(end))) {
      believed.erase(gap, believed.end());
      break;
    }
    gap = std::find(end, believed.end(), false);
  }
  records.renew(believed);
  const std::uint64_t end = position + believed.size() * piece_bytes;
  if (file.size_bytes() > end) file.truncate(end);
}

}  // namespace phalanx
