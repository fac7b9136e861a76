#include "io/container_writing.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>

#include "formats/chunked_encryption.hpp"
#include "io/container_stages.hpp"
#include "io/resume_record.hpp"

namespace phalanx {
namespace {

[[noreturn]] void throw_differs(const AtomicFile& file) {
  throw Error(ErrorCode::usage,
              file.partial_path() +
                  " was begun with another content of IN: give that IN, or begin afresh, under new keys, with " +
                  file.names().force);
}

// Whether a file of file_bytes that begins so is a header of ours, whole or cut short by a kill, with nothing behind it.
bool is_header_alone(Bytes beginning, std::uint64_t file_bytes) {
  try {
    return file_bytes <= header_bytes(beginning) + message_prefix_bytes;
  } catch (const Error& error) {
    return error.code() == ErrorCode::truncated;
  }
}

std::vector<std::uint8_t> tags_of(Bytes sealed) {
  std::vector<std::uint8_t> tags;
  for (; !sealed.empty(); sealed = sealed.subspan(std::min(sealed.size(), sealed_chunk_bytes))) {
    const Bytes tag = sealed.first(std::min(sealed.size(), sealed_chunk_bytes)).last(chunk_tag_bytes);
    tags.insert(tags.end(), tag.begin(), tag.end());
  }
  return tags;
}

// Where a message lies in its partial file.
struct PartialMessage {
  AtomicFile* file = nullptr;
  std::string name;
  std::uint64_t body_position = 0;

  [[nodiscard]] std::uint64_t position_of(std::uint64_t chunk) const { return body_position + chunk * sealed_chunk_bytes; }
};

// Writes sealed pieces to the partial file, each only once it is recorded, as resume_record.hpp demands.
class RecordedSink : public ByteSink, public SealedPieceListener {
 public:
  RecordedSink(const PartialMessage& message, RecordFile& records)
      : message_(message), records_(records), end_of_found_(records.num_pieces()) {}

  void piece_sealed(Bytes sealed) override {
    TagMacs macs = records_.macs_of(num_sealed_++ * chunks_of_piece, tags_of(sealed));
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(macs));
  }

  void write(Bytes sealed) override {
    const std::uint64_t position = message_.position_of(piece_ * chunks_of_piece);
    const std::optional<TagMacs> found = find_record(piece_);
    if (found) {
      if (*found != front()) throw_differs(*message_.file);
      write_what_differs(sealed, position);
    } else {
      if (recorded_now_ == 0) record_waiting();
      message_.file->write_at(sealed, position);
      --recorded_now_;
    }
    end_ = position + sealed.size();
    ++piece_;
    const std::lock_guard lock(mutex_);
    waiting_.pop_front();
  }

  void finish() override {
    if (piece_ < end_of_found_) throw_differs(*message_.file);  // IN has become shorter
  }

  [[nodiscard]] std::uint64_t end() const { return end_; }

 private:
  // Of an earlier run.
  [[nodiscard]] std::optional<TagMacs> find_record(std::uint64_t piece) const {
    return piece < end_of_found_ ? records_.find(piece) : std::nullopt;
  }

  [[nodiscard]] TagMacs front() {
    const std::lock_guard lock(mutex_);
    return waiting_.front();
  }

  // All pieces that are sealed by now make one group: the slower the disk, the fewer times we wait for it.
  void record_waiting() {
    std::vector<TagMacs> group;
    {
      const std::lock_guard lock(mutex_);
      group.assign(waiting_.begin(), waiting_.end());
    }
    std::size_t size = 1;
    while (size < group.size() && !find_record(piece_ + size)) ++size;
    group.resize(size);
    records_.write(piece_, group);
    recorded_now_ = size;
  }

  // Lost in a crash, or never written; what stands there already is left alone.
  void write_what_differs(Bytes sealed, std::uint64_t position) {
    there_.resize(sealed.size());
    there_.resize(read_at(message_.file->descriptor(), there_, position, message_.name));
    if (std::equal(sealed.begin(), sealed.end(), there_.begin(), there_.end())) return;
    message_.file->write_at(sealed, position);
  }

  const PartialMessage& message_;
  RecordFile& records_;
  std::uint64_t end_of_found_;    // behind the last piece that an earlier run recorded
  std::uint64_t piece_ = 0;       // the next to be written
  std::size_t recorded_now_ = 0;  // from that one on, by this run
  std::uint64_t num_sealed_ = 0;
  std::uint64_t end_ = 0;
  std::vector<std::uint8_t> there_;
  std::mutex mutex_;
  std::deque<TagMacs> waiting_;  // of pieces sealed and not yet written
};

}  // namespace

struct ContainerFileWriter::State {
  State(const ContainerJob& job_, Output& output_) : job(job_), output(output_) {}

  const ContainerJob& job;
  Output& output;
  PartialMessage message{};
  std::optional<ChunkedCipher> cipher{};
  std::optional<RecordFile> records{};
  std::uint64_t resumed_bytes = 0;
  bool started_over = false;
  std::uint64_t end = 0;  // of what was written

  void resume(std::uint64_t found_bytes);
  [[nodiscard]] bool take_up(const std::vector<std::uint8_t>& beginning);
  void require_same_kind(const WrappedKey& wrapped, const Recipient& recipient) const;
  [[nodiscard]] SecretBytes open_beginning(const ContainerHeader& header) const;
  [[nodiscard]] std::vector<std::uint8_t> read_first(std::size_t num_bytes) const;
  void require_beginning(const std::vector<std::uint8_t>& beginning) const;
  [[nodiscard]] std::string or_begin_afresh() const {
    return std::string("or begin afresh with ") + message.file->names().force;
  }
  void begin();
  [[nodiscard]] std::vector<std::uint8_t> context() const {
    if (!job.bare) return body_context(*job.suite);
    return {job.bare_context.begin(), job.bare_context.end()};
  }
};

std::vector<std::uint8_t> ContainerFileWriter::State::read_first(std::size_t num_bytes) const {
  std::vector<std::uint8_t> bytes(num_bytes);
  bytes.resize(read_at(message.file->descriptor(), bytes, 0, message.name));
  return bytes;
}

void ContainerFileWriter::State::require_same_kind(const WrappedKey& wrapped, const Recipient& recipient) const {
  const bool same_kind = wrapped.is(recipient.kind);
  if (same_kind && recipient.kind == KeyKind::key) return;
  if (same_kind && scrypt_bytes(scrypt_cost_of(wrapped)) == scrypt_bytes(recipient.cost)) return;
  throw Error(ErrorCode::usage,
              message.name + " was begun " +
                  (same_kind ? "with another cost of scrypt" : "for other recipients, or for these in another order") +
                  ": give the same ones, " + or_begin_afresh());
}

// The data key of the container that was begun.
SecretBytes ContainerFileWriter::State::open_beginning(const ContainerHeader& header) const {
  if (header.suite != job.suite) {
    throw Error(ErrorCode::usage,
                message.name + " was begun with " + header.suite->name + ": give that, " + or_begin_afresh());
  }
  if (header.wrapped_keys.size() != job.recipients.size()) {
    throw Error(ErrorCode::usage, message.name + " was begun for " + std::to_string(header.wrapped_keys.size()) +
                                      " recipients: give the same ones, " + or_begin_afresh());
  }
  // Each wrapped key is its recipient's, in their order: it is opened once, at the cost that this command names itself.
  SecretBytes data_key;
  for (std::size_t i = 0; i < job.recipients.size(); ++i) {
    const Recipient& recipient = job.recipients[i];
    require_same_kind(header.wrapped_keys[i], recipient);
    ContainerHeader own = header;
    own.wrapped_keys = {header.wrapped_keys[i]};
    data_key = open_header(own, std::vector{identity_of(recipient)}).data_key;
  }
  return data_key;
}

// The partial file must be the one that the record tells of. Its beginning may be cut short, or zeros that a crash left.
void ContainerFileWriter::State::require_beginning(const std::vector<std::uint8_t>& beginning) const {
  const std::vector<std::uint8_t> found = read_first(beginning.size());
  const bool is_zero = std::ranges::all_of(found, [](std::uint8_t byte) { return byte == 0; });
  if (is_zero || std::equal(found.begin(), found.end(), beginning.begin())) return;
  throw Error(ErrorCode::usage,
              message.name + " is not the file that its record tells of: move it away, " + or_begin_afresh());
}

// False if the record file is torn.
bool ContainerFileWriter::State::take_up(const std::vector<std::uint8_t>& beginning) {
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
  const SecretBytes input_key = header ? open_beginning(*header) : SecretBytes(job.bare_key);
  MessagePrefix prefix{};
  std::copy(beginning.end() - message_prefix_bytes, beginning.end(), prefix.begin());
  cipher.emplace(*job.suite, input_key, prefix, context(), job.options);
  records->use(input_key, prefix);
  message.body_position = beginning.size();
  message.file->write_at(beginning, 0);
  return true;
}

void ContainerFileWriter::State::resume(std::uint64_t found_bytes) {
  if (records->beginning() && take_up(*records->beginning())) {
    const std::uint64_t num_pieces = records->num_pieces();
    if (num_pieces != 0) {  // but for the last chunk, which may be short
      const std::uint64_t num_chunks = (num_pieces - 1) * chunks_of_piece + records->find(num_pieces - 1)->size();
      resumed_bytes = (num_chunks - 1) * plain_chunk_bytes;
    }
    const std::uint64_t end_of_recorded =
        message.position_of(num_pieces * chunks_of_piece + 1);  // an empty chunk may end it
    if (found_bytes > end_of_recorded) message.file->truncate(end_of_recorded);
    return;
  }
  if (!job.bare && is_header_alone(read_first(max_header_bytes), found_bytes)) {
    started_over = true;
    return;
  }
  throw Error(ErrorCode::usage,
              message.name + " is not what such a run left, or its record is missing: move it away, " + or_begin_afresh());
}

void ContainerFileWriter::State::begin() {
  const SecretBytes data_key = job.bare ? SecretBytes(job.bare_key) : random_data_key(*job.suite);
  std::vector<std::uint8_t> beginning;
  if (!job.bare) {
    std::vector<WrappedKey> wrapped_keys;
    for (const Recipient& recipient : job.recipients) wrapped_keys.push_back(wrap_data_key(*job.suite, recipient, data_key));
    beginning = make_header(*job.suite, std::move(wrapped_keys), data_key).bytes;
  }
  cipher.emplace(*job.suite, data_key, random_chunk_salt(), context(), job.options);
  beginning.insert(beginning.end(), cipher->prefix().begin(), cipher->prefix().end());
  if (!records) return output.write(beginning);
  records->begin(beginning);
  records->use(data_key, cipher->prefix());
  if (started_over) message.file->truncate(0);
  message.body_position = beginning.size();
  message.file->write_at(beginning, 0);
}

ContainerFileWriter::ContainerFileWriter(const ContainerJob& job, Output& output)
    : state_(std::make_unique<State>(job, output)) {
  if (AtomicFile* const file = output.file()) {
    state_->message.file = file;
    state_->message.name = file->partial_path();
    state_->records.emplace(*file);
    if (file->found_bytes() != 0) state_->resume(file->found_bytes());
  }
  if (!state_->cipher) state_->begin();
}

ContainerFileWriter::~ContainerFileWriter() = default;

const std::string& ContainerFileWriter::engine() const { return state_->cipher->engine(); }

std::uint64_t ContainerFileWriter::resumed_bytes() const { return state_->resumed_bytes; }

bool ContainerFileWriter::started_over() const { return state_->started_over; }

std::uint64_t ContainerFileWriter::write(PieceReader& reader, std::span<PieceStage* const> stages, Progress& progress) {
  std::vector<PieceStage*> all(stages.begin(), stages.end());
  if (!state_->records) {
    SealStage seal(*state_->cipher, nullptr);
    all.push_back(&seal);
    return run_pipeline(reader, all, state_->output, progress);
  }
  RecordedSink sink(state_->message, *state_->records);
  SealStage seal(*state_->cipher, &sink);
  all.push_back(&seal);
  const std::uint64_t read_bytes = run_pipeline(reader, all, sink, progress);
  state_->end = sink.end();
  state_->message.file->truncate(state_->end);
  return read_bytes;
}

std::uint64_t ContainerFileWriter::written_bytes() const { return state_->end; }

void ContainerFileWriter::commit() {
  state_->output.commit();
  if (state_->records) state_->records->remove();
}

}  // namespace phalanx
