#include "io/migrating.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "formats/plaintext_kind.hpp"
#include "io/atomic_file.hpp"
#include "io/container_stages.hpp"
#include "io/digest_stage.hpp"
#include "io/read_back.hpp"

namespace phalanx {
namespace {

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
class RecognisingStage : public PieceStage {
 public:
  void process(Piece& piece) override {
    if (piece.offset != 0) return;
    const bool whole = piece.last && piece.size <= recognised_from_bytes;
    recognised_ = recognise_plaintext(piece.buffer.first(std::min(piece.size, recognised_from_bytes)), whole) != nullptr;
  }
  [[nodiscard]] bool recognised() const { return recognised_; }

 private:
  bool recognised_ = false;
};

bool is_about_old_side(ErrorCode code) { return code == ErrorCode::wrong_key || code == ErrorCode::truncated; }

// Makes an UnopenedFile of what is wrong with IN. Padding that does not check means the wrong key, and with openssl's files
// often a wrong derivation.
template <class Read>
auto reading_old(const Migration& migration, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (!is_about_old_side(error.code())) throw;
    if (error.code() == ErrorCode::wrong_key) count_unopened(migration);
    throw UnopenedFile(error.code(), explain_old(error, migration.old_side));
  }
}

// Its beginning, where what is wrong may also be its format.
std::unique_ptr<OldMessage> begin_old(const Migration& migration, Input& input) {
  try {
    return reading_old(migration,
                       [&] { return std::make_unique<OldMessage>(migration.old_side, migration.old_secret, input); });
  } catch (const UnopenedFile&) {
    throw;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::usage) throw UnopenedFile(error.code(), error.what());
    throw;
  }
}

void require_unchanged(const Input& input) {
  if (!S_ISREG(input.status().st_mode)) return;
  if (stamp_of(input.descriptor(), input.name()) == FileStamp(input.status())) return;
  throw Error(ErrorCode::runtime, input.name() + " changed while it was read: migrate it when nothing writes to it");
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
  migrated.digest = old.digest();
  migrated.digest_note = old.digest_note();
  migrated.evidence = old.evidence();
  migrated.evidence.recognised = kind.recognised();
  count_opened(migration, migrated.evidence);
  return migrated;
}

MigratedFile write_container(const Migration& migration, Input& input, OldMessage& old, const MigrationTarget& target,
                             Output& output, ContainerFileWriter& writer, Progress& progress) {
  if (target.on_beginning) target.on_beginning({old, writer});
  DigestStage digest;
  RecognisingStage kind;
  std::vector<PieceStage*> stages{&old.decryption(), &kind};
  if (migration.verify) stages.push_back(&digest);
  PieceReader reader = old.reader(plain_piece_bytes);
  reading_old(migration, [&] { return writer.write(reader, stages, progress); });
  MigratedFile migrated = read_old(migration, input, old, kind);
  migrated.out_bytes = writer.written_bytes();
  const AtomicFile* file = output.file();
  if (migration.verify) {
    migrated.sha256 = digest.finish();
    migrated.read_back_sha256 = verify_partial(migration.container, *file, migrated.out_bytes, migrated.sha256, progress);
  }
  writer.commit();
  if (file != nullptr) migrated.container = file->committed_stamp();
  return migrated;
}

}  // namespace

// ContainerFileWriter wants pieces of one size, and sectors that straddle two of them could not be decrypted piece by piece.
void check_sectors(const MessagePlan& plan, const std::string& setting) {
  const std::size_t sector = plan.job.sectors.sector_bytes;
  if (sector == 0 || plain_piece_bytes % sector == 0) return;
  throw Error(ErrorCode::usage, setting + " must divide 4 MiB here: for another, decrypt first, and then encrypt");
}

MigratedFile migrate_file(const Migration& migration, Input& input, const MigrationTarget& target, Progress& progress) {
  migration.needed.refuse(input.status(), input.name());
  const OutputOptions options{.force = target.force,
                              .can_resume = target.can_resume,
                              .resume = target.resume,
                              .needed = &migration.needed,
                              .names = target.names};
  Output output(target.out, options, &input);
  const std::unique_ptr<OldMessage> old = begin_old(migration, input);
  output.open();
  if (migration.verify && output.file() == nullptr) {
    throw Error(ErrorCode::usage, output.name() + " cannot be read back: name a file as OUT, or do not verify");
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
  PieceStage* const stages[] = {&old->decryption(), &kind, &digest};
  NullSink nowhere;
  PieceReader reader = old->reader(plain_piece_bytes);
  reading_old(migration, [&] { return run_pipeline(reader, stages, nowhere, progress); });
  MigratedFile migrated = read_old(migration, input, *old, kind);
  migrated.sha256 = digest.finish();
  Input container(target.out);
  migrated.container = FileStamp(container.status());
  migrated.out_bytes = size_of(container.descriptor());
  const std::string differs =
      std::string(" exists and is not the container of this file: move it away, or replace it with ") + target.names.force;
  try {
    migrated.read_back_sha256 = read_back_sha256(migration.container, container, migrated.out_bytes, progress);
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, target.out + differs + " (" + error.what() + ')');
  }
  if (migrated.read_back_sha256 != migrated.sha256) throw Error(ErrorCode::usage, target.out + differs);
  require_unchanged(container);
  if (fsync(container.descriptor()) != 0) throw_system_error("make durable", target.out);
  sync_folder_of(resolve_links(target.out));
  return migrated;
}

void require_container(const std::string& out, const MigratedFile& migrated) {
  if (stamp_at(resolve_links(out)) == migrated.container) return;
  throw Error(ErrorCode::runtime,
              out + " is no longer the container that was made, or was changed: the old file is not removed");
}

}  // namespace phalanx
