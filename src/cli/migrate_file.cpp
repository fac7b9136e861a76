#include "cli/migrate_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "cli/engine_choice.hpp"
#include "cli/messages.hpp"
#include "cli/openssl_keys.hpp"
#include "formats/plaintext_kind.hpp"
#include "io/atomic_file.hpp"
#include "io/base64_stream.hpp"
#include "io/container_reading.hpp"
#include "io/container_stages.hpp"
#include "io/digest_stage.hpp"

namespace phalanx {
namespace {

class NullSink : public ByteSink {
 public:
  void write(Bytes /*in*/) override {}
};

// The beginning of a stream.
class BeginningSource : public ByteSource {
 public:
  BeginningSource(ByteSource& source, std::uint64_t num_bytes) : source_(source), rest_bytes_(num_bytes) {}

  std::size_t read(MutableBytes out) override {
    const std::size_t got =
        source_.read(out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), rest_bytes_))));
    rest_bytes_ -= got;
    return got;
  }

 private:
  ByteSource& source_;
  std::uint64_t rest_bytes_;
};

// IN, up to its plaintext.
class OldMessage {
 public:
  OldMessage(const Migration& migration, Input& input);

  [[nodiscard]] ChunkReader reader() { return {source_, plain_piece_bytes, cipher_->facts().block_bytes}; }
  [[nodiscard]] ChunkStage& decryption() { return *chunk_cipher_; }
  [[nodiscard]] const std::string& digest_note() const { return digest_note_; }

  /// What speaks for the key, once all is decrypted, besides the plaintext.
  [[nodiscard]] KeyEvidence evidence() const;
  [[nodiscard]] const std::string& engine() const { return engine_; }

 private:
  void read_keys(SecretBytes& key);

  const RawPlan& plan_;
  CryptJob job_;
  Input& input_;
  Base64Source decoded_;
  ByteSource& source_;
  std::optional<RawCipher> cipher_;
  std::optional<ChunkCipher> chunk_cipher_;
  std::optional<DigestChoice> found_;
  std::string digest_note_, engine_;
};

OldMessage::OldMessage(const Migration& migration, Input& input)
    : plan_(migration.old_side),
      job_(plan_.job),
      input_(input),
      decoded_(input),
      source_(plan_.openssl.base64 ? static_cast<ByteSource&>(decoded_) : input) {
  refuse_salted(plan_, input);
  SecretBytes key{Bytes(migration.old_secret)};
  read_keys(key);
  const ChosenEngine chosen = choose_engine(migration.engine, migration.calibration);
  cipher_.emplace(full_name(plan_.cipher), key, job_.sectors.sector_bytes != 0, chosen.options);
  chunk_cipher_.emplace(*cipher_, job_);
  engine_ = describe_engine(*cipher_, chosen);
  // A wrong length shows before anything is written, where it is known; files of /proc say that they are empty.
  const std::uint64_t num_bytes = plan_.openssl.base64 ? 0 : input.remaining_bytes().value_or(0);
  if (num_bytes != 0) chunk_cipher_->check_length(num_bytes);
}

void OldMessage::read_keys(SecretBytes& key) {
  if (plan_.from_passphrase) {
    OpensslKeys keys = read_openssl_keys(plan_, key, source_, input_);
    key = std::move(keys.key);
    job_.iv = keys.iv;
    digest_note_ = keys.note;
    found_ = std::move(keys.found);
  } else if (plan_.iv_prefix) {
    const std::size_t size = source_.read(MutableBytes(job_.iv.bytes).first(job_.iv.size));
    if (size == job_.iv.size) return;
    throw Error(ErrorCode::truncated, fmt::format("{} ends within its iv of {} bytes", input_.name(), job_.iv.size));
  }
}

KeyEvidence OldMessage::evidence() const {
  KeyEvidence evidence;
  evidence.padding_bytes = chunk_cipher_->checked_padding_bytes();
  if (found_) {
    evidence.candidate = found_->digest;
    evidence.num_candidates = std::size(digest_search_order);
    evidence.another_fits = !found_->also_fitting.empty() || !found_->shorter.empty();
  }
  return evidence;
}

void count_opened(const Migration& migration, const KeyEvidence& evidence) {
  migration.trials.opened(evidence.candidate);
  if (evidence.candidate.empty()) return;
  for (const char* const digest : digest_search_order) {
    if (digest != evidence.candidate && !evidence.another_fits) migration.trials.failed(digest);
  }
}

void count_unopened(const Migration& migration) {
  if (!migration.old_side.openssl.find_digest) return migration.trials.failed("");
  for (const char* const digest : digest_search_order) migration.trials.failed(digest);
}

// Looks at the plaintext that goes by.
class RecognisingStage : public ChunkStage {
 public:
  void process(Chunk& chunk) override {
    if (chunk.offset != 0) return;
    const bool whole = chunk.last && chunk.size <= recognised_from_bytes;
    recognised_ = recognise_plaintext(chunk.buffer.first(std::min(chunk.size, recognised_from_bytes)), whole) != nullptr;
  }
  [[nodiscard]] bool recognised() const { return recognised_; }

 private:
  bool recognised_ = false;
};

bool is_about_old_side(ErrorCode code) { return code == ErrorCode::wrong_key || code == ErrorCode::truncated; }

// Makes an UnopenedFile of what is wrong with IN. Padding that does not check means the wrong key, and with openssl's files often a
// wrong derivation.
template <class Read>
auto reading_old(const Migration& migration, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (!is_about_old_side(error.code())) throw;
    const bool wrong_key = error.code() == ErrorCode::wrong_key;
    if (wrong_key) count_unopened(migration);
    const bool explain = wrong_key && migration.old_side.from_passphrase && !migration.old_side.openssl.find_digest;
    throw UnopenedFile(error.code(),
                       error.what() + std::string(explain ? "; are --from-md and --from-pbkdf2 as it was written?" : ""));
  }
}

// Its beginning, where what is wrong may also be its format.
std::unique_ptr<OldMessage> begin_old(const Migration& migration, Input& input) {
  try {
    return reading_old(migration, [&] { return std::make_unique<OldMessage>(migration, input); });
  } catch (const UnopenedFile&) {
    throw;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::usage) throw UnopenedFile(error.code(), error.what());
    throw;
  }
}

void require_unchanged(const Input& input) {
  struct stat now {};
  if (!S_ISREG(input.status().st_mode) || fstat(input.descriptor(), &now) != 0) return;
  if (FileStamp(now) == FileStamp(input.status())) return;
  throw Error(ErrorCode::runtime, input.name() + " changed while it was read: migrate it when nothing writes to it");
}

// The digest of what a container opens to, the first num_bytes of the file, read from the disk as far as the system lets us.
std::string read_back(const Migration& migration, Input& file, std::uint64_t num_bytes, Progress& progress) {
  posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
  BeginningSource input(file, num_bytes);
  const ContainerHeader header = read_header(input);
  std::vector<Identity> identities;
  for (const Recipient& recipient : migration.container.recipients) identities.push_back(identity_of(recipient));
  const OpenedHeader opened = open_header(header, identities);
  const std::vector<std::uint8_t> context = body_context(*header.suite);
  const ChunkedCipher cipher = read_prefix(input, *header.suite, opened.data_key, context, migration.container.options);
  DigestSink sink;
  open_chunks(input, cipher, sink, progress);
  return sink.digest();
}

void verify(const Migration& migration, const AtomicFile& file, MigratedFile& migrated, Progress& progress) {
  if (fsync(file.descriptor()) != 0) throw_system_error("write", file.partial_path());
  try {
    Input container(duplicate(file.descriptor(), file.partial_path()), file.partial_path());
    container.seek(0);
    migrated.read_back_digest = read_back(migration, container, migrated.out_bytes, progress);
  } catch (const Error& error) {
    throw Error(error.code(), std::string("OUT does not read back as it was written: ") + error.what());
  }
  if (migrated.read_back_digest == migrated.digest) return;
  throw Error(ErrorCode::authentication, "OUT does not read back as it was written: its plaintext is another");
}

void say_what_was_found(const MigrationNotes& notes, const OldMessage& old, const ContainerFileWriter& writer) {
  const auto say = [&](bool wanted, const std::string& note) {
    if (!note.empty()) print_note(notes.label + note, !wanted);
  };
  say(notes.verbose, old.engine());
  say(notes.verbose, "sealing runs on " + writer.engine());
  say(notes.findings, old.digest_note());
  if (writer.resumed_bytes() != 0) {
    say(notes.findings,
        fmt::format("comparing the {} bytes that an earlier run has done, then going on", writer.resumed_bytes()));
  } else if (writer.started_over()) {
    say(notes.findings, "an earlier run has done too little to go on with: began afresh, under new keys");
  }
}

std::uint64_t size_of(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  return static_cast<std::uint64_t>(status.st_size);
}

// Where an error ends what was begun or taken up, the partial file is not worth keeping.
void discard_on_error(Output& output, const MigrationTarget& target) {
  if (target.discard_errors && output.file() != nullptr) output.file()->discard();
}

// Takes IN through the stages: what it gave, without what is known of OUT.
MigratedFile read_old(const Migration& migration, Input& input, OldMessage& old, const RecognisingStage& kind) {
  require_unchanged(input);
  MigratedFile migrated;
  migrated.source = FileStamp(input.status());
  migrated.in_bytes = size_of(input.descriptor());
  migrated.digest_note = old.digest_note();
  migrated.evidence = old.evidence();
  migrated.evidence.recognised = kind.recognised();
  count_opened(migration, migrated.evidence);
  return migrated;
}

MigratedFile write_container(const Migration& migration, Input& input, OldMessage& old, const MigrationTarget& target,
                             Output& output, ContainerFileWriter& writer, Progress& progress) {
  say_what_was_found(target.notes, old, writer);
  DigestStage digest;
  RecognisingStage kind;
  std::vector<ChunkStage*> stages{&old.decryption(), &kind};
  if (migration.verify) stages.push_back(&digest);
  ChunkReader reader = old.reader();
  reading_old(migration, [&] { return writer.write(reader, stages, progress); });
  MigratedFile migrated = read_old(migration, input, old, kind);
  migrated.out_bytes = writer.written_bytes();
  const AtomicFile* file = output.file();
  if (file != nullptr) migrated.container = identity_of(file->descriptor(), file->partial_path());
  if (migration.verify) {
    migrated.digest = digest.finish();
    verify(migration, *file, migrated, progress);
  }
  writer.commit();
  return migrated;
}

}  // namespace

MigratedFile migrate_file(const Migration& migration, Input& input, const MigrationTarget& target, Progress& progress) {
  migration.needed.refuse(input.status(), input.name());
  Output output(target.out, {.force = target.force, .resume = target.resume, .needed = &migration.needed}, &input);
  const std::unique_ptr<OldMessage> old = begin_old(migration, input);
  output.open();
  if (migration.verify && output.file() == nullptr) {
    throw Error(ErrorCode::usage, output.name() + " cannot be read back: name a file as OUT, or give --no-verify");
  }
  if (output.file() != nullptr && output.file()->found_bytes() == 0) discard_on_error(output, target);
  ContainerFileWriter writer(migration.container, output);
  try {
    return write_container(migration, input, *old, target, output, writer, progress);
  } catch (...) {
    discard_on_error(output, target);
    throw;
  }
}

MigratedFile compare_migrated(const Migration& migration, Input& input, const MigrationTarget& target, Progress& progress) {
  migration.needed.refuse(input.status(), input.name());
  const std::unique_ptr<OldMessage> old = begin_old(migration, input);
  DigestStage digest;
  RecognisingStage kind;
  ChunkStage* const stages[] = {&old->decryption(), &kind, &digest};
  NullSink nowhere;
  ChunkReader reader = old->reader();
  reading_old(migration, [&] { return run_pipeline(reader, stages, nowhere, progress); });
  MigratedFile migrated = read_old(migration, input, *old, kind);
  migrated.digest = digest.finish();
  Input container(target.out);
  migrated.container = FileIdentity(container.status());
  migrated.out_bytes = size_of(container.descriptor());
  constexpr const char* differs = " exists and is not the container of this file: move it away, or give --force";
  try {
    migrated.read_back_digest = read_back(migration, container, migrated.out_bytes, progress);
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, target.out + differs + " (" + error.what() + ')');
  }
  if (migrated.read_back_digest != migrated.digest) throw Error(ErrorCode::usage, target.out + differs);
  require_unchanged(container);
  if (fsync(container.descriptor()) != 0) throw_system_error("make durable", target.out);
  sync_folder_of(resolve_links(target.out));
  return migrated;
}

void require_container(const std::string& out, const MigratedFile& migrated) {
  if (identity_at(resolve_links(out)) == migrated.container) return;
  throw Error(ErrorCode::runtime, out + " is no longer the container that was made: the old file is not removed");
}

}  // namespace phalanx
