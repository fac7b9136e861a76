#include "container/file/plaintext_writer.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "bytes/byte_order.hpp"
#include "container/file/checkpointed_sink.hpp"
#include "container/file/resume_record.hpp"
#include "container/file/stages.hpp"
#include "pipeline/piece_sinks.hpp"
#include "pipeline/plaintext_mac.hpp"

namespace phalanx {
namespace {

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

}  // namespace

struct PlaintextFileWriter::State {
  State(const ChunkedCipher& own_cipher, Output& own_output)
      : cipher(own_cipher), output(own_output), file(own_output.file()) {}

  void resume();

  const ChunkedCipher& cipher;
  Output& output;
  AtomicFile* file;
  std::optional<RecordFile> records;
  std::optional<PlaintextMacKey> key;  // with records
  std::uint64_t resumed_bytes = 0;
};

void PlaintextFileWriter::State::resume() {
  const std::string or_afresh =
      std::string(", or begin afresh with ") + file->names().force + " in place of " + file->names().resume;
  if (!records->beginning()) {
    throw Error(ErrorCode::format,
                file->partial_path() + " is not what such a run left, or its record is missing: move it away" + or_afresh,
                {.name = file->partial_path()});
  }
  const std::vector<std::uint8_t>&found = *records->beginning(), own = beginning_of(cipher, *file);
  if (found.size() != own.size() || !std::equal(cipher.prefix().begin(), cipher.prefix().end(), found.begin())) {
    throw Error(ErrorCode::usage, file->partial_path() + " was begun with another IN: give that one" + or_afresh);
  }
  if (found != own) {
    throw Error(ErrorCode::format,
                file->partial_path() + " is not the file that its record tells of: move it away" + or_afresh,
                {.name = file->partial_path()});
  }
}

PlaintextFileWriter::PlaintextFileWriter(const ChunkedCipher& cipher, Output& output)
    : state_(std::make_unique<State>(cipher, output)) {
  AtomicFile* const file = state_->file;
  if (file == nullptr || !output.can_resume()) return;
  RecordFile& records = state_->records.emplace(*file, written_records);
  state_->key.emplace(derived_key(cipher, PlaintextMacKey::all_key_bytes));
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

void PlaintextFileWriter::write(PieceReader& reader, std::optional<std::uint64_t> sealed_bytes, const RunOptions& options,
                                Progress& progress) {
  State& state = *state_;
  OpenStage open(state.cipher, 0, true);
  PieceStage* const stages[] = {&open};
  const PieceThreads threads = piece_threads(options, state.cipher.engine());
  const EarlyKey early(state.cipher, threads);
  const bool known = sealed_bytes.value_or(0) != 0;  // a file of /proc says that it is empty
  const std::optional<std::uint64_t> plain_bytes =
      known ? std::optional(plain_bytes_of_chunks(*sealed_bytes)) : std::nullopt;
  if (!state.records) {
    const std::unique_ptr<PieceSink> sink = sink_to(state.output, {}, plain_bytes);
    run_pieces(reader, stages, *sink, progress, threads);
    return;
  }
  if (plain_bytes) state.file->reserve(*plain_bytes);
  CheckpointedSink sink(*state.file, *state.records, *state.key, reader.in_order() ? 0 : sealed_bytes.value_or(0), progress);
  if (plain_bytes && !reader.in_order()) sink.extend(*plain_bytes);
  run_pieces(reader, stages, sink, progress, threads);
  state.file->truncate(sink.end());
}

void PlaintextFileWriter::commit() {
  state_->output.commit();
  if (state_->records) state_->records->remove();
}

}  // namespace phalanx
