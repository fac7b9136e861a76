#include "files/container/file/resumable_writer.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "engine/chunked/chunked_encryption.hpp"
#include "files/container/file/believed_pieces.hpp"
#include "files/container/file/read_back.hpp"
#include "files/container/file/recorded_sink.hpp"
#include "files/container/file/resume_record.hpp"
#include "files/container/file/stages.hpp"
#include "files/container/file/stream_reader.hpp"
#include "files/container/format/public_key_record.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/system/data_extent.hpp"

namespace phalanx {
namespace {

constexpr std::uint64_t most_read_bytes = std::uint64_t{1} << 20;  // at once, where zeros are expected

// Says where a message lies in its partial file.
struct PartialMessage {
  AtomicFile* file = nullptr;
  std::string name;
  std::uint64_t body_position = 0;

  [[nodiscard]] std::uint64_t position_of(std::uint64_t chunk) const { return body_position + chunk * sealed_chunk_bytes; }
};

}  // namespace

struct ContainerFileWriter::State {
  State(const ContainerJob& job_, Output& output_) : job(job_), output(output_) {}

  const ContainerJob& job;
  Output& output;
  SecretBytes data_key{};
  PartialMessage message{};
  std::optional<ChunkedCipher> cipher{};
  std::vector<std::uint8_t> unwritten_beginning{};  // of a message without records
  std::optional<RecordFile> records{};
  std::uint64_t resumed_bytes = 0;
  bool started_over = false;
  bool goes_on = false;
  bool is_lost = false;     // the disk lost the earlier run's pieces
  BelievedPieces believed;  // pieces of the earlier run, where it goes on
  std::uint64_t end = 0;    // where the written part ends
  ContentSource read_back_source = ContentSource::disk;

  void resume(std::uint64_t found_bytes);
  [[nodiscard]] bool adopt_partial(const std::vector<std::uint8_t>& beginning);
  void require_same_kind(const WrappedKey& wrapped, const Recipient& recipient) const;
  void require_own(const FixedPart& fixed_part, const WrappedKey& wrapped, const Recipient& recipient) const;
  [[noreturn]] void throw_begun(const std::string& how) const;
  [[nodiscard]] SecretBytes open_beginning(const ContainerHeader& header) const;
  [[nodiscard]] std::vector<std::uint8_t> read_first(std::size_t num_bytes) const;
  void require_beginning(const std::vector<std::uint8_t>& beginning) const;
  [[nodiscard]] std::string or_begin_afresh() const {
    const OutputSettingNames& names = message.file->names();
    return std::string("or begin afresh with ") + names.force + " in place of " + names.resume;
  }
  void require_records(std::uint64_t found_bytes) const;
  void require_zeros(std::uint64_t begin, std::uint64_t limit) const;
  [[noreturn]] void throw_unrecorded() const;
  void begin();
  void require_opener(const ContainerHeader& header) const;
  [[nodiscard]] Sha256Digest header_digest(const ReadAt& read, std::uint64_t num_bytes) const;
  void believe();
  void write_missing(PieceReader& reader, std::span<PipelineStage* const> stages);
  void make_room(std::optional<std::uint64_t> plain_bytes);
  std::uint64_t write_recorded(PieceReader& reader, std::span<PipelineStage* const> stages,
                               std::optional<std::uint64_t> plain_bytes, Progress& progress);
  [[nodiscard]] RecordedSink::Target target() const {
    return {*message.file, message.body_position, message.file->names().force};
  }
};

std::vector<std::uint8_t> ContainerFileWriter::State::read_first(std::size_t num_bytes) const {
  std::vector<std::uint8_t> bytes(num_bytes);
  bytes.resize(read_at(message.file->descriptor(), bytes, 0, message.name));
  return bytes;
}

void ContainerFileWriter::State::require_same_kind(const WrappedKey& wrapped, const Recipient& recipient) const {
  const bool same_kind = wrapped.is(recipient.kind);
  if (same_kind && recipient.kind != KeyKind::passphrase) return;
  if (same_kind && scrypt_bytes(scrypt_cost_of(wrapped)) == scrypt_bytes(recipient.cost)) return;
  throw_begun(same_kind ? "with another cost of scrypt" : "for other recipients, or for these in another order");
}

// If the run has a public key's identity, it checks that the record is that recipient's. If an identity opens a record, it
// checks the reverse. A call of the caller may ask a user, so it is not tried.
void ContainerFileWriter::State::require_own(const FixedPart& fixed_part, const WrappedKey& wrapped,
                                             const Recipient& recipient) const {
  for (const Identity& one : job.identities) {
    if (one.unwrap != nullptr || recipient.wrap != nullptr) continue;
    if (is_held_by(recipient, one) == is_opened_by(fixed_part, wrapped, one, {})) continue;
    throw_begun("for other public keys, or for these in another order");
  }
}

void ContainerFileWriter::State::throw_begun(const std::string& how) const {
  throw Error(ErrorCode::usage, message.name + " was begun " + how + ": give the same ones, " + or_begin_afresh());
}

// Returns the data key of the container that was begun.
SecretBytes ContainerFileWriter::State::open_beginning(const ContainerHeader& header) const {
  if (header.suite != job.suite) {
    throw Error(ErrorCode::usage,
                message.name + " was begun with " + header.suite->name + ": give that, " + or_begin_afresh());
  }
  if (header.wrapped_keys.size() != job.recipients.size()) {
    throw Error(ErrorCode::usage, message.name + " was begun for " + std::to_string(header.wrapped_keys.size()) +
                                      " recipients: give the same ones, " + or_begin_afresh());
  }
  if (header.binding.flags != binding_flags_of(job.binding)) {
    throw Error(
        ErrorCode::usage,
        message.name + " was begun for another binding, to a context or a name: give the same one, " + or_begin_afresh());
  }
  // Each wrapped key is its recipient's, in their order. It is opened once, at the cost that this command names itself.
  SecretBytes key;
  for (std::size_t i = 0; i < job.recipients.size(); ++i) {
    const Recipient& recipient = job.recipients[i];
    require_same_kind(header.wrapped_keys[i], recipient);
    if (recipient.kind == KeyKind::public_key) {
      require_own(header.fixed_part(), header.wrapped_keys[i], recipient);
      continue;
    }
    ContainerHeader own = header;
    own.wrapped_keys = {header.wrapped_keys[i]};
    key = open_header(own, std::vector{identity_of(recipient)}, {}, job.binding, job.binding_names).data_key;
  }
  if (key.size() != 0) return key;
  if (!can_open(job)) {
    throw Error(ErrorCode::usage, message.name +
                                      " cannot be gone on with by a run that seals for public keys alone: give an "
                                      "identity or a key that opens it, " +
                                      or_begin_afresh());
  }
  return open_header(header, job.identities, {}, job.binding, job.binding_names).data_key;
}

// The partial file must be the one that its record describes. Its beginning may be cut short, or be zeros after a crash.
void ContainerFileWriter::State::require_beginning(const std::vector<std::uint8_t>& beginning) const {
  const std::vector<std::uint8_t> found = read_first(beginning.size());
  const auto differs = std::ranges::mismatch(found, beginning).in1;
  if (std::all_of(differs, found.end(), [](std::uint8_t byte) { return byte == 0; })) return;
  throw Error(ErrorCode::format,
              message.name + " is not the file that its record tells of: move it away, " + or_begin_afresh(),
              {.name = message.name});
}

// Returns false if the record file is torn.
bool ContainerFileWriter::State::adopt_partial(const std::vector<std::uint8_t>& beginning) {
  if (job.bare != (beginning.size() == message_prefix_bytes)) {
    throw Error(ErrorCode::usage, message.name + " was begun as " + (job.bare ? "a container" : "a bare message") +
                                      ": go on with that, " + or_begin_afresh());
  }
  std::optional<ContainerHeader> header;
  try {
    if (!job.bare) header = parse_header(beginning);
  } catch (const Error&) {
    return false;
  }
  const std::size_t header_size = header ? header->bytes.size() : 0;
  if (beginning.size() != header_size + message_prefix_bytes) return false;
  require_beginning(beginning);
  data_key = header ? open_beginning(*header) : SecretBytes(job.bare_key);
  MessagePrefix prefix{};
  std::copy(beginning.end() - message_prefix_bytes, beginning.end(), prefix.begin());
  cipher.emplace(header ? open_body(*header, data_key, prefix, job.binding.context, job.options)
                        : ChunkedCipher(*job.suite, data_key, prefix, job.bare_context, job.options));
  records->use(data_key, prefix);
  message.body_position = beginning.size();
  message.file->write_at(beginning, 0);
  return true;
}

// No byte of a piece is written before its record is durable. So bytes without a record mean that the record was damaged. A
// chunk that is sealed in their place might get a second content under its nonce.
void ContainerFileWriter::State::require_records(std::uint64_t found_bytes) const {
  const std::uint64_t num_found = records->num_pieces();
  std::uint64_t behind = message.body_position;  // end of the last recorded piece so far
  for (std::uint64_t piece = 0; piece < num_found; ++piece) {
    const auto macs = records->find(piece);
    if (!macs) continue;
    require_zeros(behind, message.position_of(piece * chunks_of_piece));
    behind = message.position_of(piece * chunks_of_piece + macs->size());
  }
  require_zeros(behind, found_bytes);
}

// Reads the pieces on the disk by their records. If one is not as recorded, or a failed write may have gone unreported,
// another file is begun, under other keys.
void ContainerFileWriter::State::believe() {
  auto found = message.file->is_found_durable()
                   ? believed_sealed_pieces(*cipher, *message.file, message.body_position, *records, job.options)
                   : std::nullopt;
  if (found) {
    believed = *std::move(found);
    resumed_bytes = static_cast<std::uint64_t>(std::ranges::count(believed, true)) * plain_piece_bytes;
    goes_on = true;
    return;
  }
  message.file->begin_anew();
  cipher.reset();
  is_lost = true;
}

void ContainerFileWriter::State::require_zeros(std::uint64_t begin, std::uint64_t limit) const {
  const int file = message.file->descriptor();
  std::vector<std::uint8_t> bytes;
  for (DataExtent data = next_data_extent(file, begin, limit); data.begin < limit;
       data = next_data_extent(file, data.begin, limit)) {
    bytes.resize(static_cast<std::size_t>(std::min(std::min(data.end, limit) - data.begin, most_read_bytes)));
    bytes.resize(read_at(file, bytes, data.begin, message.name));
    if (bytes.empty()) return;
    if (std::ranges::any_of(bytes, [](std::uint8_t byte) { return byte != 0; })) throw_unrecorded();
    data.begin += bytes.size();
  }
}

void ContainerFileWriter::State::throw_unrecorded() const {
  throw Error(ErrorCode::format,
              message.name + " holds what its record does not tell of: one of the two was damaged; begin " +
                  "afresh, under new keys, with " + message.file->names().force + " in place of " +
                  message.file->names().resume,
              {.name = message.name});
}

void ContainerFileWriter::State::resume(std::uint64_t found_bytes) {
  if (records->beginning() && adopt_partial(*records->beginning())) {
    require_records(found_bytes);
    return believe();
  }
  if (!job.bare && is_header_alone(read_first(max_header_bytes), found_bytes)) {
    started_over = true;
    return;
  }
  throw Error(ErrorCode::format,
              message.name + " is not what such a run left, or its record is missing: move it away, " + or_begin_afresh(),
              {.name = message.name});
}

// A container that is to be read back or continued by an identity must have that identity as a recipient. A call of the
// caller may ask a user, so it is not tried twice.
void ContainerFileWriter::State::require_opener(const ContainerHeader& header) const {
  const bool by_secret =
      std::ranges::any_of(job.recipients, [](const Recipient& recipient) { return recipient.kind != KeyKind::public_key; });
  const bool by_call = std::ranges::any_of(job.identities, [](const Identity& one) { return one.unwrap != nullptr; });
  if (by_secret || by_call || job.identities.empty()) return;
  try {
    static_cast<void>(open_header(header, job.identities, {}, job.binding, job.binding_names));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::wrong_key) throw;
    throw Error(ErrorCode::usage, "the identity that is given is none of the recipients': name its public key too");
  }
}

void ContainerFileWriter::State::begin() {
  std::vector<std::uint8_t> beginning;
  if (job.bare) {
    data_key = SecretBytes(job.bare_key);
    cipher.emplace(*job.suite, data_key, random_chunk_salt(), job.bare_context, job.options);
  } else {
    NewHeader made = make_new_header(*job.suite, job.recipients, job.binding);
    cipher.emplace(begin_body(made.header, made.data_key, job.binding.context, job.options));
    data_key = std::move(made.data_key);
    require_opener(made.header);
    beginning = std::move(made.header.bytes);
  }
  beginning.insert(beginning.end(), cipher->prefix().begin(), cipher->prefix().end());
  message.body_position = beginning.size();
  if (!records) {
    unwritten_beginning = std::move(beginning);
    return;
  }
  records->begin(beginning);
  records->use(data_key, cipher->prefix());
  if (started_over) message.file->truncate(0);
  message.file->write_at(beginning, 0);
}

std::vector<Identity> openers_of(const ContainerJob& job) {
  std::vector<Identity> openers = identities_of(job.recipients);
  openers.insert(openers.end(), job.identities.begin(), job.identities.end());
  return openers;
}

// An index will record only a header that this run's data key made, whoever else can write to the file.
Sha256Digest ContainerFileWriter::State::header_digest(const ReadAt& read, std::uint64_t num_bytes) const {
  std::vector<std::uint8_t> header(static_cast<std::size_t>(num_bytes));
  read(0, header);
  require_mac(parse_header(header), data_key);
  return digest_header(header);
}

ContainerFileWriter::ContainerFileWriter(const ContainerJob& job, Output& output)
    : state_(std::make_unique<State>(job, output)) {
  if (AtomicFile* const file = output.file()) {
    state_->message.file = file;
    state_->message.name = file->partial_path();
    if (!output.is_brief()) state_->records.emplace(*file);
    if (file->found_bytes() != 0) state_->resume(file->found_bytes());
  }
  if (!state_->cipher) state_->begin();
}

ContainerFileWriter::~ContainerFileWriter() = default;

const std::string& ContainerFileWriter::engine() const { return state_->cipher->engine(); }

std::uint64_t ContainerFileWriter::resumed_bytes() const { return state_->resumed_bytes; }

bool ContainerFileWriter::started_over() const { return state_->started_over; }

bool ContainerFileWriter::goes_on() const { return state_->goes_on; }

bool ContainerFileWriter::is_lost() const { return state_->is_lost; }

std::optional<std::uint64_t> ContainerFileWriter::settled_bytes() const {
  return state_->goes_on ? state_->records->message_bytes() : std::nullopt;
}

// Where an earlier run goes on, the file keeps only the trusted pieces. Then room is made for all of it.
void ContainerFileWriter::State::make_room(std::optional<std::uint64_t> plain_bytes) {
  if (goes_on) {
    keep_believed(*message.file, *records, believed, message.body_position, sealed_piece_bytes);
    message.file->write_at(*records->beginning(), 0);
  }
  if (!plain_bytes) return;
  message.file->reserve(message.body_position + chunks_bytes(*plain_bytes));
  message.file->write_at(*records->beginning(), 0);  // once more: another program may have cut it off just before, unseen
}

// If an earlier run sealed another plaintext, the right one could not be continued any more. So nothing is written before
// all recorded pieces are known to be of this plaintext. Where pieces come in their order, each piece waits only for those
// before it.
std::uint64_t ContainerFileWriter::State::write_recorded(PieceReader& reader, std::span<PipelineStage* const> stages,
                                                         std::optional<std::uint64_t> plain_bytes, Progress& progress) {
  using Take = RecordedSink::Take;
  const bool any_order =
      !reader.in_order() && std::ranges::none_of(stages, [](const PipelineStage* stage) { return stage->in_order(); });
  const std::uint64_t num_found = records->num_pieces();
  const bool compares = num_found != 0 && any_order;
  if (reader.num_pieces().value_or(num_found) < num_found) target().throw_differs();
  const PieceThreads threads = piece_threads(job.options, cipher->engine());
  const KeyPreload preload(*cipher, threads);
  std::uint64_t read_bytes = 0, num_pieces = 0;
  if (compares) {
    RecordedSink comparing(target(), *records, Take::compare_recorded, false);
    read_bytes = run_pieces(reader, stages, comparing, progress, threads);
    end = comparing.end();
    num_pieces = comparing.num_pieces();
  }
  make_room(plain_bytes);
  if (compares) write_missing(reader, stages);
  RecordedSink sink(target(), *records, compares ? Take::unrecorded : Take::all, num_found != 0 && !any_order);
  read_bytes += run_pieces(reader, stages, sink, progress, threads);
  end = std::max(end, sink.end());
  if (std::max(num_pieces, sink.num_pieces()) < num_found) target().throw_differs();
  message.file->truncate(end);
  return read_bytes;
}

// Writes recorded pieces that are not on the disk. Stages that only look at pieces have seen these.
void ContainerFileWriter::State::write_missing(PieceReader& reader, std::span<PipelineStage* const> stages) {
  std::vector<PipelineStage*> changing;
  std::ranges::copy_if(stages, std::back_inserter(changing),
                       [](const PipelineStage* stage) { return !stage->only_reads(); });
  RecordedSink sink(target(), *records, RecordedSink::Take::missing, false);
  Progress seen_already;
  run_pieces(reader, changing, sink, seen_already, piece_threads(job.options, cipher->engine()));
}

std::uint64_t ContainerFileWriter::write(PieceReader& reader, std::span<PipelineStage* const> stages, Progress& progress,
                                         std::optional<std::uint64_t> plain_bytes) {
  std::vector<PipelineStage*> all(stages.begin(), stages.end());
  SealStage seal(*state_->cipher);
  all.push_back(&seal);
  if (state_->records) return state_->write_recorded(reader, all, plain_bytes, progress);
  const auto sealed_bytes = plain_bytes ? std::optional(chunks_bytes(*plain_bytes)) : std::nullopt;
  const std::unique_ptr<PieceSink> sink = sink_to(state_->output, state_->unwritten_beginning, sealed_bytes);
  const PieceThreads threads = piece_threads(state_->job.options, state_->cipher->engine());
  const std::uint64_t read_bytes = run_pieces(reader, all, *sink, progress, threads);
  if (state_->message.file != nullptr) state_->end = state_->message.file->size_bytes();
  return read_bytes;
}

const RunOptions& ContainerFileWriter::run_options() const { return state_->job.options; }

std::uint64_t ContainerFileWriter::written_bytes() const { return state_->end; }

ContentSource ContainerFileWriter::read_back_source() const { return state_->read_back_source; }

void ContainerFileWriter::read_back(const PlaintextMacKey& key, const std::string& mac, Progress& progress) const {
  AtomicFile& file = *state_->message.file;
  file.sync();
  std::string found;
  try {
    Input container(duplicate(file.descriptor(), file.partial_path()), file.partial_path());
    container.seek(0);
    FoundBody body{.with_facts = false};
    found = read_back_mac(state_->job, container, state_->end, key, progress, state_->data_key, &body);
    state_->read_back_source = body.source;
  } catch (const Error& error) {
    throw Error(error, std::string("OUT does not read back as it was written: ") + error.what());
  }
  if (found == mac) return;
  throw Error(ErrorCode::authentication, "OUT does not read back as it was written: its plaintext is another");
}

BodyFacts ContainerFileWriter::body_facts(bool with_digest) const {
  const PartialMessage& message = state_->message;
  const auto read = [&](std::uint64_t offset, MutableBytes out) {
    if (read_at(message.file->descriptor(), out, offset, message.name) != out.size())
      throw Error(ErrorCode::runtime, message.name + " became shorter while it was read");
  };
  const std::uint64_t position = message.body_position - message_prefix_bytes;
  BodyFacts facts = authentic_body_facts(*state_->cipher, read, position, state_->end);
  if (with_digest) facts.sha256 = digest_body(read, position, state_->end);
  if (!state_->job.bare) facts.header = state_->header_digest(read, position);
  return facts;
}

void ContainerFileWriter::commit() {
  state_->output.commit();
  if (state_->records) return state_->records->remove();
  const AtomicFile* const file = state_->message.file;
  if (file != nullptr && file->replaces_one()) remove_stale_record(file->path());  // of that one
}

}  // namespace phalanx
