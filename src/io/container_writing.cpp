#include "io/container_writing.hpp"

#include <openssl/crypto.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "formats/chunked_encryption.hpp"
#include "io/container_stages.hpp"
#include "io/resume_record.hpp"

namespace phalanx {
namespace {

[[noreturn]] void throw_differs(const std::string& name) {
  throw Error(ErrorCode::usage,
              name + " was begun with another content of IN: give that IN, or begin afresh, under new keys, by --force");
}

std::vector<std::uint8_t> tags_of(Bytes sealed) {
  std::vector<std::uint8_t> tags;
  for (; !sealed.empty(); sealed = sealed.subspan(std::min(sealed.size(), sealed_chunk_bytes))) {
    const Bytes tag = sealed.first(std::min(sealed.size(), sealed_chunk_bytes)).last(chunk_tag_bytes);
    tags.insert(tags.end(), tag.begin(), tag.end());
  }
  return tags;
}

// Where a message lies in its partial file, and what was found of it there.
struct PartialMessage {
  int descriptor = -1;
  std::string name;
  std::uint64_t body_position = 0;
  std::uint64_t first_chunk = 0;  // not yet final: those before it are

  [[nodiscard]] std::uint64_t position_of(std::uint64_t chunk) const { return body_position + chunk * sealed_chunk_bytes; }
};

// Compares the pieces that are final already with what IN holds, and takes them out of the stream.
class FinalPieces : public ChunkStage {
 public:
  FinalPieces(const ChunkedCipher& cipher, const PartialMessage& message)
      : cipher_(cipher), message_(message), sealed_(sealed_piece_bytes), plain_(plain_piece_bytes) {}

  void process(Chunk& chunk) override {
    const std::uint64_t first_chunk = chunk.offset / plain_chunk_bytes;
    if (first_chunk >= message_.first_chunk) return;
    if (chunk.last) throw_differs(message_.name);
    if (read_at(message_.descriptor, sealed_, message_.position_of(first_chunk), message_.name) < sealed_.size()) {
      throw_differs(message_.name);
    }
    try {
      cipher_.open(first_chunk, sealed_, plain_);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::authentication) throw;
      throw_differs(message_.name);
    }
    if (CRYPTO_memcmp(plain_.data(), chunk.buffer.data(), plain_.size()) != 0) throw_differs(message_.name);
    chunk.size = 0;
  }

 private:
  const ChunkedCipher& cipher_;
  const PartialMessage& message_;
  SecretBytes sealed_, plain_;
};

// Writes sealed pieces to the partial file, each only once it is recorded, in the order that resume_record.hpp demands.
class RecordedSink : public ByteSink, public SealedPieceListener {
 public:
  RecordedSink(const PartialMessage& message, RecordFile& records, std::optional<ResumeRecord> found)
      : message_(message), records_(records), chunk_(message.first_chunk) {
    if (found) record_ = std::move(*found);
  }

  void piece_sealed(Bytes sealed) override {
    const std::vector<std::uint8_t> tags = tags_of(sealed);
    const std::lock_guard lock(mutex_);
    waiting_tags_.insert(waiting_tags_.end(), tags.begin(), tags.end());
    waiting_bytes_ += sealed.size();
  }

  void write(Bytes sealed) override {
    if (sealed.empty()) return;
    const std::vector<std::uint8_t> tags = tags_of(sealed);
    const std::uint64_t position = message_.position_of(chunk_);
    if (position - message_.body_position >= records_from_bytes) {
      if (chunk_ >= record_.end_chunk()) record_waiting(position);
      check_recorded(tags);
    }
    write_at(message_.descriptor, sealed, position, message_.name);
    end_ = position + sealed.size();
    chunk_ += tags.size() / chunk_tag_bytes;
    const std::lock_guard lock(mutex_);
    waiting_tags_.erase(waiting_tags_.begin(), waiting_tags_.begin() + static_cast<std::ptrdiff_t>(tags.size()));
    waiting_bytes_ -= sealed.size();
  }

  [[nodiscard]] std::uint64_t end() const { return end_; }

 private:
  // All pieces that are sealed by now make one group: the slower the disk, the fewer records.
  void record_waiting(std::uint64_t position) {
    record_.first_chunk = chunk_;
    std::uint64_t group_end = position;
    {
      const std::lock_guard lock(mutex_);
      record_.tags = waiting_tags_;
      group_end += waiting_bytes_;
    }
    records_.write(record_, group_end);
  }

  void check_recorded(Bytes tags) const {
    const std::size_t done_bytes = static_cast<std::size_t>(chunk_ - record_.first_chunk) * chunk_tag_bytes;
    const Bytes recorded = Bytes(record_.tags).subspan(done_bytes);
    if (recorded.size() < tags.size() || !std::equal(tags.begin(), tags.end(), recorded.begin()))
      throw_differs(message_.name);
  }

  const PartialMessage& message_;
  RecordFile& records_;
  ResumeRecord record_;  // the newest durable one
  std::uint64_t chunk_;  // the next to be written
  std::uint64_t end_ = 0;
  std::mutex mutex_;
  std::vector<std::uint8_t> waiting_tags_;  // of pieces sealed and not yet written
  std::uint64_t waiting_bytes_ = 0;
};

}  // namespace

struct ContainerWriter::State {
  const ContainerJob& job;
  Output& output;
  PartialMessage message{};
  std::optional<ChunkedCipher> cipher{};
  std::optional<RecordFile> records{};
  std::optional<ResumeRecord> found{};
  bool started_over = false;
  std::uint64_t end = 0;  // of what was written

  void resume(std::uint64_t found_bytes);
  [[nodiscard]] std::optional<SecretBytes> open_partial_header(std::uint64_t found_bytes);
  void begin();
  void use(Bytes input_key) {
    records.emplace(message.descriptor, message.name, message.body_position, input_key, cipher->prefix());
  }
  [[nodiscard]] std::vector<std::uint8_t> context() const {
    if (!job.bare) return body_context(*job.suite);
    return {job.bare_context.begin(), job.bare_context.end()};
  }
};

// The data key of a container that was begun; nothing if not even its header is whole.
std::optional<SecretBytes> ContainerWriter::State::open_partial_header(std::uint64_t found_bytes) {
  std::vector<std::uint8_t> beginning(static_cast<std::size_t>(std::min<std::uint64_t>(found_bytes, max_header_bytes)));
  beginning.resize(read_at(message.descriptor, beginning, 0, message.name));
  ContainerHeader header;
  try {
    header = parse_header(beginning);
  } catch (const Error&) {
    return std::nullopt;
  }
  if (header.suite != job.suite) {
    throw Error(ErrorCode::usage,
                message.name + " was begun with --cipher " + header.suite->name + ": give that, or --force to begin afresh");
  }
  if (header.wrapped_keys.size() != job.recipients.size()) {
    throw Error(ErrorCode::usage, message.name + " was begun for " + std::to_string(header.wrapped_keys.size()) +
                                      " recipients: give the same ones, or --force to begin afresh");
  }
  SecretBytes data_key;
  for (const Recipient& recipient : job.recipients) data_key = open_header(header, {&recipient, 1}).data_key;
  message.body_position = header.bytes.size();
  return data_key;
}

void ContainerWriter::State::resume(std::uint64_t found_bytes) {
  std::optional<SecretBytes> data_key = job.bare ? SecretBytes(job.bare_key) : open_partial_header(found_bytes);
  MessagePrefix prefix{};
  const bool whole = data_key && read_at(message.descriptor, prefix, message.body_position, message.name) == prefix.size();
  if (!whole || found_bytes < message.body_position + prefix.size() + record_bytes) return;
  try {
    cipher.emplace(*job.suite, *data_key, prefix, context(), job.options);
  } catch (const Error& error) {
    if (job.bare || error.code() != ErrorCode::wrong_key) throw;
    return;  // the header is this key's, so the prefix is torn, and nothing behind it was made durable
  }
  message.body_position += prefix.size();
  use(*data_key);
  found = records->newest();
  if (!found || found->first_chunk % chunks_of_piece != 0) {
    found.reset();
    cipher.reset();
    return;
  }
  message.first_chunk = found->first_chunk;
}

void ContainerWriter::State::begin() {
  const SecretBytes data_key = job.bare ? SecretBytes(job.bare_key) : random_data_key(*job.suite);
  std::vector<std::uint8_t> beginning;
  if (!job.bare) {
    std::vector<WrappedKey> wrapped_keys;
    for (const Recipient& recipient : job.recipients) wrapped_keys.push_back(wrap_data_key(*job.suite, recipient, data_key));
    beginning = make_header(*job.suite, std::move(wrapped_keys), data_key).bytes;
  }
  cipher.emplace(*job.suite, data_key, random_chunk_salt(), context(), job.options);
  beginning.insert(beginning.end(), cipher->prefix().begin(), cipher->prefix().end());
  message.body_position = beginning.size();
  if (output.file() == nullptr) {
    output.write(beginning);
    return;
  }
  if (ftruncate(message.descriptor, 0) != 0) throw_system_error("write", message.name);
  write_at(message.descriptor, beginning, 0, message.name);
  use(data_key);
}

ContainerWriter::ContainerWriter(const ContainerJob& job, Output& output)
    : state_(std::make_unique<State>(State{.job = job, .output = output})) {
  if (const AtomicFile* file = output.file()) {
    state_->message.descriptor = file->descriptor();
    state_->message.name = file->partial_path();
    if (file->found_bytes() != 0) state_->resume(file->found_bytes());
    state_->started_over = file->found_bytes() != 0 && !state_->cipher;
  }
  if (!state_->cipher) state_->begin();
}

ContainerWriter::~ContainerWriter() = default;

const std::string& ContainerWriter::engine() const { return state_->cipher->engine(); }

std::uint64_t ContainerWriter::resumed_bytes() const { return state_->message.first_chunk * plain_chunk_bytes; }

bool ContainerWriter::started_over() const { return state_->started_over; }

std::uint64_t ContainerWriter::write(ChunkReader& reader, std::span<ChunkStage* const> stages, Progress& progress) {
  std::vector<ChunkStage*> all(stages.begin(), stages.end());
  if (state_->output.file() == nullptr) {
    SealStage seal(*state_->cipher, nullptr);
    all.push_back(&seal);
    return run_pipeline(reader, all, state_->output, progress);
  }
  FinalPieces final_pieces(*state_->cipher, state_->message);
  RecordedSink sink(state_->message, *state_->records, state_->found);
  SealStage seal(*state_->cipher, &sink);
  if (state_->found) all.push_back(&final_pieces);
  all.push_back(&seal);
  const std::uint64_t read_bytes = run_pipeline(reader, all, sink, progress);
  state_->end = sink.end();
  if (!state_->job.finish_later) finish();
  return read_bytes;
}

std::uint64_t ContainerWriter::written_bytes() const { return state_->end; }

void ContainerWriter::finish() {
  const PartialMessage& message = state_->message;
  if (ftruncate(message.descriptor, static_cast<off_t>(state_->end)) != 0) throw_system_error("write", message.name);
}

}  // namespace phalanx
