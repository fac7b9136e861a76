#include "files/container/file/plaintext_writer.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/bytes/byte_order.hpp"
#include "files/container/file/believed_pieces.hpp"
#include "files/container/file/checkpointed_sink.hpp"
#include "files/container/file/resume_record.hpp"
#include "files/container/file/stages.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/pipeline/plaintext_mac.hpp"

namespace phalanx {
namespace {

// The beginning ties a record to a message and to the file beside it.
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
  const ChunkedCipher& cipher;
  Output& output;
  std::uint64_t sealed_bytes;  // 0: not known; a file of /proc says that it is empty
  const RunOptions& options;
  AtomicFile* file;
  std::optional<RecordFile> records{};
  std::optional<PlaintextMacKey> key{};  // with records
  bool goes_on = false;
  bool is_lost = false;
  BelievedPieces believed{};

  void resume();
  void begin();
  void believe();
  [[nodiscard]] std::optional<std::uint64_t> plain_bytes() const {
    return sealed_bytes == 0 ? std::nullopt : std::optional(plain_bytes_of_chunks(sealed_bytes));
  }
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

void PlaintextFileWriter::State::begin() {
  records->begin(beginning_of(cipher, *file));
  records->use(derived_key(cipher, records_key_bytes), cipher.prefix());
}

// Reads the recorded pieces. If one is not as recorded, or a failed write to the disk may have gone unreported, another file
// is begun.
void PlaintextFileWriter::State::believe() {
  if (sealed_bytes == 0) return;
  auto found =
      file->is_found_durable() ? believed_written_pieces(*key, *file, *plain_bytes(), *records, options) : std::nullopt;
  goes_on = found.has_value();
  is_lost = !goes_on;
  if (goes_on) {
    believed = *std::move(found);
  } else {
    file->begin_anew();
    begin();
  }
}

PlaintextFileWriter::PlaintextFileWriter(const ChunkedCipher& cipher, Output& output,
                                         std::optional<std::uint64_t> sealed_bytes, const RunOptions& options)
    : state_(new State{.cipher = cipher,
                       .output = output,
                       .sealed_bytes = sealed_bytes.value_or(0),
                       .options = options,
                       .file = output.file()}) {
  State& state = *state_;
  if (state.file == nullptr || !output.can_resume()) return;
  state.records.emplace(*state.file, written_records);
  state.key.emplace(derived_key(cipher, PlaintextMacKey::all_key_bytes));
  if (state.file->found_bytes() == 0) {
    state.begin();
    return;
  }
  state.resume();
  state.records->use(derived_key(cipher, records_key_bytes), cipher.prefix());
  state.goes_on = true;
  state.believe();
}

PlaintextFileWriter::~PlaintextFileWriter() = default;

std::uint64_t PlaintextFileWriter::resumed_bytes() const {
  return static_cast<std::uint64_t>(std::ranges::count(state_->believed, true)) * plain_piece_bytes;
}

bool PlaintextFileWriter::is_lost() const { return state_->is_lost; }

void PlaintextFileWriter::write(PieceReader& reader, Progress& progress) {
  State& state = *state_;
  OpenStage open(state.cipher, 0, true);
  PipelineStage* const stages[] = {&open};
  const PieceThreads threads = piece_threads(state.options, state.cipher.engine());
  const KeyPreload preload(state.cipher, threads);
  const std::optional<std::uint64_t> plain_bytes = state.plain_bytes();
  if (!state.records) {
    const std::unique_ptr<PieceSink> sink = sink_to(state.output, {}, plain_bytes);
    run_pieces(reader, stages, *sink, progress, threads);
    return;
  }
  if (reader.in_order()) state.believed.clear();
  if (state.goes_on) keep_believed(*state.file, *state.records, state.believed, 0, plain_piece_bytes);
  if (plain_bytes) state.file->reserve(*plain_bytes);
  CheckpointedSink sink(*state.file, *state.records, *state.key, reader.in_order() ? 0 : state.sealed_bytes, progress);
  if (plain_bytes && !reader.in_order()) sink.extend(*plain_bytes);
  run_pieces(reader, stages, sink, progress, threads);
  state.file->truncate(sink.end());
}

void PlaintextFileWriter::commit() {
  state_->output.commit();
  if (state_->records) state_->records->remove();
}

}  // namespace phalanx
