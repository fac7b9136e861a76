#include "io/container_writing.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "formats/chunked_encryption.hpp"
#include "io/container_stages.hpp"
#include "io/piece_sinks.hpp"
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

// Makes records durable for many threads at once: what is given while a disk is at work makes the next group. The slower the
// disk, the fewer times we wait for it.
class DurableRecords {
 public:
  explicit DurableRecords(RecordFile& records) : records_(records) {}

  // Returns when the record is durable.
  void add(std::uint64_t piece, TagMacs macs) {
    std::unique_lock lock(mutex_);
    group_.push_back({piece, std::move(macs)});
    const std::uint64_t number = ++num_given_;
    for (;;) {
      if (failure_) std::rethrow_exception(failure_);
      if (num_durable_ >= number) return;
      if (is_writing_) {
        changed_.wait(lock);
      } else {
        write_group(lock);
      }
    }
  }

 private:
  void write_group(std::unique_lock<std::mutex>& lock) {
    const std::vector<RecordFile::Record> group = std::exchange(group_, {});
    const std::uint64_t last = num_given_;
    is_writing_ = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      records_.write(group);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    is_writing_ = false;
    num_durable_ = last;
    failure_ = failure;
    changed_.notify_all();
  }

  RecordFile& records_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<RecordFile::Record> group_;
  std::uint64_t num_given_ = 0, num_durable_ = 0;
  bool is_writing_ = false;
  std::exception_ptr failure_;
};

// Writes sealed pieces to the partial file, each only once it is recorded, as resume_record.hpp demands.
class RecordedSink : public PieceSink {
 public:
  RecordedSink(const PartialMessage& message, RecordFile& records, bool in_order)
      : message_(message), records_(records), num_found_(records.num_pieces()), in_order_(in_order), durable_(records) {}

  [[nodiscard]] bool in_order() const override { return in_order_; }

  void write(const Piece& piece) override {
    const Bytes sealed = piece.content();
    const std::uint64_t position = message_.body_position + piece.offset;
    TagMacs macs = records_.macs_of(piece.number * chunks_of_piece, tags_of(sealed));
    if (const std::optional<TagMacs> found = find(piece.number)) {
      if (*found != macs) throw_differs(*message_.file);
      if (!is_there(sealed, position)) take_lost(piece.number, sealed, position);
    } else {
      durable_.add(piece.number, std::move(macs));
      message_.file->write_at(sealed, position);
    }
    const std::lock_guard lock(mutex_);
    end_ = std::max(end_, position + sealed.size());
    num_pieces_ = std::max(num_pieces_, piece.number + 1);
  }

  /// All were written. Throws Error (usage) where the plaintext has become shorter.
  void require_all_found() const {
    if (num_pieces_ < num_found_) throw_differs(*message_.file);
  }

  [[nodiscard]] std::uint64_t end() const { return end_; }

  /// What an earlier run recorded of a piece.
  [[nodiscard]] std::optional<TagMacs> find(std::uint64_t piece) const {
    return piece < num_found_ ? records_.find(piece) : std::nullopt;
  }
  [[nodiscard]] std::uint64_t num_found() const { return num_found_; }  ///< behind the last one

  /// From now on, what was recorded is only compared, and remembered where it is not as it was sealed; or no longer.
  void only_compare(bool only) { only_compares_ = only; }

  [[nodiscard]] const std::set<std::uint64_t>& lost() const { return lost_; }

 private:
  [[nodiscard]] bool is_there(Bytes sealed, std::uint64_t position) const {
    std::vector<std::uint8_t> there(sealed.size());
    there.resize(read_at(message_.file->descriptor(), there, position, message_.name));
    return std::equal(sealed.begin(), sealed.end(), there.begin(), there.end());
  }

  // Lost in a crash, or never written.
  void take_lost(std::uint64_t piece, Bytes sealed, std::uint64_t position) {
    if (!only_compares_) return message_.file->write_at(sealed, position);
    const std::lock_guard lock(mutex_);
    lost_.insert(piece);
  }

  const PartialMessage& message_;
  RecordFile& records_;
  std::uint64_t num_found_;
  bool in_order_;
  DurableRecords durable_;
  std::mutex mutex_;
  std::uint64_t end_ = 0;
  std::uint64_t num_pieces_ = 0;
  bool only_compares_ = false;
  std::set<std::uint64_t> lost_;
};

// Of the first num_pieces, those that an earlier run recorded, or those that it did not.
class SomePieces : public PieceSchedule {
 public:
  SomePieces(const RecordedSink& records, std::uint64_t num_pieces, bool recorded)
      : records_(records), num_pieces_(num_pieces), recorded_(recorded) {}

  std::optional<std::uint64_t> next() override {
    for (;;) {
      const std::uint64_t number = next_.fetch_add(1);
      if (number >= num_pieces_) return std::nullopt;
      if (records_.find(number).has_value() == recorded_) return number;
    }
  }

 private:
  const RecordedSink& records_;
  std::uint64_t num_pieces_;
  bool recorded_;
  std::atomic<std::uint64_t> next_{0};
};

class LostPieces : public PieceSchedule {
 public:
  explicit LostPieces(const std::set<std::uint64_t>& numbers) : numbers_(numbers.begin(), numbers.end()) {}
  std::optional<std::uint64_t> next() override {
    const std::size_t place = next_.fetch_add(1);
    return place < numbers_.size() ? std::optional(numbers_[place]) : std::nullopt;
  }

 private:
  std::vector<std::uint64_t> numbers_;
  std::atomic<std::size_t> next_{0};
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
  std::uint64_t compare_recorded(PieceReader& reader, std::span<PieceStage* const> stages, RecordedSink& sink,
                                 Progress& progress) const;
  void make_room(std::uint64_t num_found, std::optional<std::uint64_t> plain_bytes);
  std::uint64_t write_recorded(PieceReader& reader, std::span<PieceStage* const> stages,
                               std::optional<std::uint64_t> plain_bytes, Progress& progress);
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
  const auto differs = std::ranges::mismatch(found, beginning).in1;
  if (std::all_of(differs, found.end(), [](std::uint8_t byte) { return byte == 0; })) return;
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
    std::uint64_t num_chunks = 0;
    for (std::uint64_t piece = records->num_pieces(); piece-- > 0;) {
      if (const auto macs = records->find(piece)) num_chunks += macs->size();
    }
    if (num_chunks != 0) resumed_bytes = (num_chunks - 1) * plain_chunk_bytes;  // the last one may be short
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

// Cuts what lies behind the last piece that is recorded, and takes room for the rest.
void ContainerFileWriter::State::make_room(std::uint64_t num_found, std::optional<std::uint64_t> plain_bytes) {
  const std::uint64_t end_of_found = message.position_of(num_found * chunks_of_piece + 1);  // an empty chunk may end it
  if (message.file->size_bytes() > end_of_found) message.file->truncate(end_of_found);
  if (plain_bytes) message.file->reserve(message.body_position + chunks_bytes(*plain_bytes));
}

// What an earlier run sealed of another plaintext could not be continued by the right one any more. So nothing is written
// before all that is recorded is known to be of this plaintext; or, where pieces come in their order, what comes before each.
std::uint64_t ContainerFileWriter::State::write_recorded(PieceReader& reader, std::span<PieceStage* const> stages,
                                                         std::optional<std::uint64_t> plain_bytes, Progress& progress) {
  static_cast<void>(reader.buffer_bytes());  // a short stream is known as such then
  const std::optional<std::uint64_t> num_pieces = reader.num_pieces();
  const bool any_order =
      !reader.in_order() && std::ranges::none_of(stages, [](const PieceStage* stage) { return stage->in_order(); });
  const bool goes_on = records->num_pieces() != 0;
  RecordedSink sink(message, *records, goes_on && !any_order);
  if (num_pieces && *num_pieces < sink.num_found()) throw_differs(*message.file);
  const PieceThreads threads = piece_threads(job.options, cipher->engine());
  std::uint64_t read_bytes = 0;
  if (goes_on && any_order) {
    read_bytes = compare_recorded(reader, stages, sink, progress);
    make_room(sink.num_found(), plain_bytes);
    SomePieces missing(sink, *num_pieces, false);
    read_bytes += run_pieces(reader, stages, sink, progress, threads, &missing);
  } else {
    make_room(sink.num_found(), plain_bytes);
    read_bytes = run_pieces(reader, stages, sink, progress, threads);
  }
  sink.require_all_found();
  end = sink.end();
  message.file->truncate(end);
  return read_bytes;
}

std::uint64_t ContainerFileWriter::State::compare_recorded(PieceReader& reader, std::span<PieceStage* const> stages,
                                                           RecordedSink& sink, Progress& progress) const {
  const PieceThreads threads = piece_threads(job.options, cipher->engine());
  SomePieces recorded(sink, sink.num_found(), true);
  sink.only_compare(true);
  const std::uint64_t read_bytes = run_pieces(reader, stages, sink, progress, threads, &recorded);
  sink.only_compare(false);
  std::vector<PieceStage*> changing;
  std::ranges::copy_if(stages, std::back_inserter(changing), [](const PieceStage* stage) { return !stage->only_looks(); });
  LostPieces lost(sink.lost());
  Progress seen_already;
  run_pieces(reader, changing, sink, seen_already, threads, &lost);
  return read_bytes;
}

std::uint64_t ContainerFileWriter::write(PieceReader& reader, std::span<PieceStage* const> stages, Progress& progress,
                                         std::optional<std::uint64_t> plain_bytes) {
  std::vector<PieceStage*> all(stages.begin(), stages.end());
  SealStage seal(*state_->cipher);
  all.push_back(&seal);
  if (!state_->records) {
    StreamSink sink(state_->output);
    return run_pieces(reader, all, sink, progress, piece_threads(state_->job.options, state_->cipher->engine()));
  }
  return state_->write_recorded(reader, all, plain_bytes, progress);
}

std::uint64_t ContainerFileWriter::written_bytes() const { return state_->end; }

void ContainerFileWriter::commit() {
  state_->output.commit();
  if (state_->records) state_->records->remove();
}

}  // namespace phalanx
