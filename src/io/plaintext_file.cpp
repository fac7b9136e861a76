#include "io/plaintext_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "io/container_reading.hpp"
#include "io/container_stages.hpp"
#include "io/file_descriptor.hpp"
#include "io/piece_sinks.hpp"
#include "io/plaintext_mac.hpp"
#include "io/resume_record.hpp"
#include "lanes/lane_word.hpp"

namespace phalanx {
namespace {

// How much may have to be done again after a kill. Each time, what was written is made durable: seldom enough to cost nothing.
constexpr std::chrono::seconds between_checkpoints{5};

// What ties a record to a message and to the file beside it.
std::vector<std::uint8_t> beginning_of(const ChunkedCipher& cipher, const AtomicFile& file) {
  std::vector<std::uint8_t> beginning(cipher.prefix().begin(), cipher.prefix().end());
  beginning.resize(beginning.size() + sizeof(std::uint64_t));
  store_u64(beginning.data() + message_prefix_bytes, file.identity().inode);
  return beginning;
}

SecretBytes derived_key(const ChunkedCipher& cipher, std::size_t size) {
  SecretBytes key(size);
  cipher.derive_key("phalanx written pieces", key);
  return key;
}

// Writes pieces, and records from time to time those that are on the disk.
class CheckpointedSink : public FileSink {
 public:
  CheckpointedSink(AtomicFile& file, RecordFile& records, const PlaintextMacKey& key)
      : FileSink(file, 0), file_(file), records_(records), key_(key) {}

  void write(const Piece& piece) override {
    FileSink::write(piece);
    const TagMac mac = key_.tag_of(piece.number, piece.content());
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

 private:
  void record(const std::vector<RecordFile::Record>& written) {
    if (fdatasync(file_.descriptor()) != 0) throw_system_error("write", file_.partial_path());
    records_.write(written);
    const std::lock_guard lock(mutex_);
    is_recording_ = false;
  }

  AtomicFile& file_;
  RecordFile& records_;
  const PlaintextMacKey& key_;
  std::mutex mutex_;
  std::vector<RecordFile::Record> written_;  // not yet recorded
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool is_recording_ = false;
};

// All pieces but those that are recorded, and as they were recorded.
class MissingPieces : public PieceSchedule {
 public:
  struct Message {
    std::uint64_t num_pieces, sealed_bytes;
  };
  MissingPieces(const Message& message, const AtomicFile& file, const RecordFile& records, const PlaintextMacKey& key,
                Progress& progress)
      : message_(message), num_found_(records.num_pieces()), file_(file), records_(records), key_(key), progress_(progress) {}

  std::optional<std::uint64_t> next() override {
    for (;;) {
      const std::uint64_t number = next_.fetch_add(1);
      if (number >= message_.num_pieces) return std::nullopt;
      if (number >= num_found_ || !is_there(number)) return number;
      progress_.add(piece_range(number, message_.sealed_bytes, sealed_piece_bytes).size);
    }
  }

 private:
  [[nodiscard]] bool is_there(std::uint64_t number) const {
    const std::optional<TagMacs> found = records_.find(number);
    if (!found || found->size() != 1) return false;
    const PieceRange sealed = piece_range(number, message_.sealed_bytes, sealed_piece_bytes);
    const std::size_t num_chunks = (sealed.size + sealed_chunk_bytes - 1) / sealed_chunk_bytes;
    SecretBytes plain(sealed.size - std::min(sealed.size, num_chunks * chunk_tag_bytes));
    const std::uint64_t position = number * plain_piece_bytes;
    if (read_at(file_.descriptor(), plain, position, file_.partial_path()) != plain.size()) return false;
    return key_.tag_of(number, plain) == found->front();
  }

  Message message_;
  std::uint64_t num_found_;
  const AtomicFile& file_;
  const RecordFile& records_;
  const PlaintextMacKey& key_;
  Progress& progress_;
  std::atomic<std::uint64_t> next_{0};
};

}  // namespace

struct PlaintextFileWriter::State {
  State(const ChunkedCipher& own_cipher, Output& own_output)
      : cipher(own_cipher),
        output(own_output),
        file(own_output.file()),
        key(derived_key(own_cipher, PlaintextMacKey::all_key_bytes)) {}

  void resume();

  const ChunkedCipher& cipher;
  Output& output;
  AtomicFile* file;
  PlaintextMacKey key;
  std::optional<RecordFile> records;
  std::uint64_t resumed_bytes = 0;
};

void PlaintextFileWriter::State::resume() {
  const std::string or_afresh = std::string(", or begin afresh with ") + file->names().force;
  if (!records->beginning()) {
    throw Error(ErrorCode::usage, file->partial_path() +
                                      " is not what such a run left, or its record is missing: move it away" + or_afresh);
  }
  const std::vector<std::uint8_t>&found = *records->beginning(), own = beginning_of(cipher, *file);
  if (found.size() != own.size() || !std::equal(cipher.prefix().begin(), cipher.prefix().end(), found.begin())) {
    throw Error(ErrorCode::usage, file->partial_path() + " was begun with another IN: give that one" + or_afresh);
  }
  if (found != own) {
    throw Error(ErrorCode::usage, file->partial_path() + " is not the file that its record tells of: move it away" + or_afresh);
  }
}

PlaintextFileWriter::PlaintextFileWriter(const ChunkedCipher& cipher, Output& output)
    : state_(std::make_unique<State>(cipher, output)) {
  AtomicFile* const file = state_->file;
  if (file == nullptr || !output.can_resume()) return;
  RecordFile& records = state_->records.emplace(*file, written_records);
  const bool goes_on = file->found_bytes() != 0;
  if (goes_on) {
    state_->resume();
  } else {
    records.begin(beginning_of(cipher, *file));
  }
  records.use(derived_key(cipher, records_key_bytes), cipher.prefix());
  if (!goes_on) return;
  for (std::uint64_t piece = records.num_pieces(); piece-- > 0;) {
    if (records.find(piece)) state_->resumed_bytes += plain_piece_bytes;
  }
}

PlaintextFileWriter::~PlaintextFileWriter() = default;

std::uint64_t PlaintextFileWriter::resumed_bytes() const { return state_->resumed_bytes; }

void PlaintextFileWriter::write(PieceReader& reader, std::optional<std::uint64_t> sealed_bytes, const Options& options,
                                Progress& progress) {
  State& state = *state_;
  OpenStage open(state.cipher, 0, true);
  PieceStage* const stages[] = {&open};
  const PieceThreads threads = piece_threads(options, state.cipher.engine());
  const bool known = sealed_bytes.value_or(0) != 0;  // a file of /proc says that it is empty
  const std::optional<std::uint64_t> plain_bytes = known ? std::optional(plain_bytes_of_chunks(*sealed_bytes)) : std::nullopt;
  if (!state.records) {
    const std::unique_ptr<PieceSink> sink = sink_to(state.output, plain_bytes);
    run_pieces(reader, stages, *sink, progress, threads);
    return;
  }
  if (plain_bytes) state.file->reserve(*plain_bytes);
  CheckpointedSink sink(*state.file, *state.records, state.key);
  if (known && !reader.in_order()) {
    MissingPieces missing({*reader.num_pieces(), *sealed_bytes}, *state.file, *state.records, state.key, progress);
    sink.keep_until(*plain_bytes);
    run_pieces(reader, stages, sink, progress, threads, &missing);
  } else {
    run_pieces(reader, stages, sink, progress, threads);
  }
}

void PlaintextFileWriter::commit() {
  state_->output.commit();
  if (state_->records) state_->records->remove();
}

}  // namespace phalanx
