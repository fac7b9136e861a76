#include "cli/migrate_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "cli/crossovers.hpp"
#include "cli/messages.hpp"
#include "cli/openssl_keys.hpp"
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

  [[nodiscard]] ChunkReader reader() { return {source_, plain_piece_bytes, cipher_->block_bytes()}; }
  [[nodiscard]] ChunkStage& decryption() { return *chunk_cipher_; }
  [[nodiscard]] const std::string& digest_note() const { return digest_note_; }
  [[nodiscard]] const std::string& engine() const { return engine_; }

 private:
  void read_keys(SecretBytes& key);

  const RawPlan& plan_;
  CryptJob job_;
  Input& input_;
  Base64Source decoded_;
  ByteSource& source_;
  std::optional<Cipher> cipher_;
  std::optional<ChunkCipher> chunk_cipher_;
  std::string digest_note_, engine_;
};

OldMessage::OldMessage(const Migration& migration, Input& input)
    : plan_(migration.old_side),
      job_(plan_.job),
      input_(input),
      decoded_(input),
      source_(plan_.openssl.base64 ? static_cast<ByteSource&>(decoded_) : input) {
  SecretBytes key{Bytes(migration.old_secret)};
  read_keys(key);
  const auto num_bytes = plan_.openssl.base64 ? std::nullopt : input.remaining_bytes();
  const MessageAhead ahead{.named = plan_.cipher,
                           .direction = Direction::decrypt,
                           .by_sectors = job_.sectors.sector_bytes != 0,
                           .num_bytes = num_bytes};
  const ChosenEngine chosen = choose_engine(migration.engine, ahead, migration.calibration);
  cipher_.emplace(full_name(plan_.cipher), key, chosen.options);
  chunk_cipher_.emplace(*cipher_, job_);
  engine_ = describe_engine(*cipher_, chosen);
  // A wrong length shows before anything is written, where it is known; files of /proc say that they are empty.
  if (num_bytes.value_or(0) != 0) chunk_cipher_->check_length(*num_bytes);
}

void OldMessage::read_keys(SecretBytes& key) {
  if (plan_.from_passphrase) {
    OpensslKeys keys = read_openssl_keys(plan_, key, source_, input_);
    key = std::move(keys.key);
    job_.iv = keys.iv;
    digest_note_ = keys.note;
  } else if (plan_.iv_prefix) {
    const std::size_t size = source_.read(MutableBytes(job_.iv.bytes).first(job_.iv.size));
    if (size == job_.iv.size) return;
    throw Error(ErrorCode::truncated, fmt::format("{} ends within its iv of {} bytes", input_.name(), job_.iv.size));
  }
}

// Padding that does not check means the wrong key, and with openssl's files often a wrong derivation.
template <class Read>
void explain_wrong_key(const Migration& migration, const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::wrong_key || !migration.old_side.from_passphrase) throw;
    throw Error(error.code(), std::string(error.what()) + "; are --from-md and --from-pbkdf2 as it was written?");
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
  const OpenedHeader opened = open_header(header, migration.container.recipients);
  const std::vector<std::uint8_t> context = body_context(*header.suite);
  const ChunkedCipher cipher = read_prefix(input, *header.suite, opened.data_key, context, migration.container.options);
  DigestSink sink;
  open_chunks(input, cipher, sink, progress);
  return sink.digest();
}

void verify(const Migration& migration, const AtomicFile& file, MigratedFile& migrated, Progress& progress) {
  if (fsync(file.descriptor()) != 0) throw_system_error("write", file.partial_path());
  try {
    Input container(file.partial_path());
    migrated.read_back_digest = read_back(migration, container, migrated.out_bytes, progress);
  } catch (const Error& error) {
    throw Error(error.code(), std::string("OUT does not read back as it was written: ") + error.what());
  }
  if (migrated.read_back_digest == migrated.digest) return;
  throw Error(ErrorCode::authentication, "OUT does not read back as it was written: its plaintext is another");
}

void say_what_was_found(const MigrationNotes& notes, const OldMessage& old, const ContainerWriter& writer) {
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

MigratedFile describe(const Input& input, const OldMessage& old) {
  MigratedFile migrated;
  migrated.source = FileStamp(input.status());
  migrated.digest_note = old.digest_note();
  return migrated;
}

std::uint64_t size_of(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

bool FileStamp::operator==(const FileStamp& other) const {
  return device == other.device && inode == other.inode && size == other.size && modified.tv_sec == other.modified.tv_sec &&
         modified.tv_nsec == other.modified.tv_nsec;
}

MigratedFile migrate_file(const Migration& migration, const MigrationPaths& paths, Progress& progress) {
  Input input(paths.in);
  Output output(paths.out, {.force = paths.force, .resume = paths.resume}, &input);
  OldMessage old(migration, input);
  output.open();
  const AtomicFile* file = output.file();
  if (migration.verify && file == nullptr) {
    throw Error(ErrorCode::usage, output.name() + " cannot be read back: name a file as OUT, or give --no-verify");
  }
  ContainerWriter writer(migration.container, output);
  MigratedFile migrated = describe(input, old);
  say_what_was_found(paths.notes, old, writer);
  DigestStage digest;
  std::vector<ChunkStage*> stages{&old.decryption()};
  if (migration.verify) stages.push_back(&digest);
  ChunkReader reader = old.reader();
  explain_wrong_key(migration, [&] { writer.write(reader, stages, progress); });
  require_unchanged(input);
  migrated.in_bytes = size_of(input.descriptor());
  migrated.out_bytes = writer.written_bytes();
  if (migration.verify) {
    migrated.digest = digest.finish();
    verify(migration, *file, migrated, progress);
  }
  if (file != nullptr) writer.finish();
  output.commit();
  return migrated;
}

MigratedFile compare_migrated(const Migration& migration, const MigrationPaths& paths, Progress& progress) {
  Input input(paths.in);
  OldMessage old(migration, input);
  MigratedFile migrated = describe(input, old);
  DigestStage digest;
  ChunkStage* const stages[] = {&old.decryption(), &digest};
  NullSink nowhere;
  ChunkReader reader = old.reader();
  explain_wrong_key(migration, [&] { run_pipeline(reader, stages, nowhere, progress); });
  require_unchanged(input);
  migrated.digest = digest.finish();
  migrated.in_bytes = size_of(input.descriptor());
  Input container(paths.out);
  migrated.out_bytes = size_of(container.descriptor());
  constexpr const char* differs = " exists and is not the container of this file: move it away, or give --force";
  try {
    migrated.read_back_digest = read_back(migration, container, migrated.out_bytes, progress);
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, paths.out + differs + " (" + error.what() + ')');
  }
  if (migrated.read_back_digest != migrated.digest) throw Error(ErrorCode::usage, paths.out + differs);
  return migrated;
}

void delete_source(const std::string& path, const MigratedFile& migrated) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) throw_system_error("remove", path);
  if (!S_ISREG(status.st_mode) || !(FileStamp(status) == migrated.source)) {
    throw Error(ErrorCode::runtime, path + " is no longer the file that was migrated, and is not removed");
  }
  if (::unlink(path.c_str()) != 0) throw_system_error("remove", path);
  sync_folder_of(path);
}

}  // namespace phalanx
