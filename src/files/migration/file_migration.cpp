#include "files/migration/file_migration.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "files/container/file/read_back.hpp"
#include "files/container/file/stages.hpp"
#include "files/container/file/stream_reader.hpp"
#include "files/container/file/tree_run.hpp"
#include "files/foreign/search/opened_file.hpp"
#include "files/foreign/search/unopened_file.hpp"
#include "files/migration/key_judging.hpp"
#include "files/migration/opening_for_all.hpp"
#include "files/migration/plaintext_kind_stage.hpp"
#include "files/pipeline/digest_stage.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/system/file_attributes.hpp"
#include "files/system/output/atomic_file.hpp"
#include "files/system/output/half_done.hpp"
#include "files/system/path_safety.hpp"

namespace phalanx {
namespace {

bool is_about_source(ErrorCode code) { return code == ErrorCode::wrong_key || code == ErrorCode::truncated; }

// Makes an UndecryptableFile of what is wrong with IN, which begins at `start`. Padding that does not check means the wrong
// key, and with openssl's files often a wrong derivation; or it is no old ciphertext at all.
template <class Read>
auto reading_old(const Migration& migration, const Input& input, const std::optional<std::uint64_t>& start,
                 const Read& read) {
  try {
    return read();
  } catch (const UndecryptableFile&) {
    throw;
  } catch (const Error& error) {
    if (!is_about_source(error.code())) throw;
    const Candidate& first = migration.candidates.list.front();
    if (start) explain_unopened(error, input, *start, first.plan, migration.candidates.find_base64);
    if (error.code() == ErrorCode::wrong_key) migration.trials.failed(first.name);
    throw UndecryptableFile(error, explain_foreign(error, first.plan));
  }
}

// Its beginning, where what is wrong may also be its format.
std::unique_ptr<OpenedFile> begin_old(const Migration& migration, Input& input, bool always_search = false) {
  refuse_half_done(input);
  try {
    return reading_old(migration, input, std::nullopt, [&] {  // which OpenedFile has explained
      return std::make_unique<OpenedFile>(migration.candidates, input, migration.trials, always_search);
    });
  } catch (const UndecryptableFile&) {
    throw;
  } catch (const Error& error) {
    const bool unfit = error.code() == ErrorCode::usage || error.code() == ErrorCode::format;
    if (unfit) throw UndecryptableFile(error, error.what());
    throw;
  }
}

void require_unchanged(const Migration& migration, const Input& input) {
  if (!S_ISREG(input.status().st_mode)) return;
  const FileStamp now = stamp_of(input.descriptor(), input.name());
  if (migration.removals.explain(FileStamp(input.status()), now)) return;
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

// These stages look at the plaintext while it goes by: they find its kind, its MAC and, on request, its SHA-256.
class PlaintextLook {
 public:
  explicit PlaintextLook(const Migration& migration) : mac_(migration.mac_key) {
    if (migration.sha256) digest_.emplace();
  }

  void add_to(std::vector<PipelineStage*>& stages) {
    stages.push_back(&kind_);
    stages.push_back(&mac_);
    if (digest_) stages.push_back(&*digest_);
  }

  [[nodiscard]] const PlaintextKindStage& kind() const { return kind_; }
  [[nodiscard]] const PlaintextMac& mac() const { return mac_.mac(); }

  void finish(MigratedFile& migrated) {
    migrated.plain_bytes = mac_.mac().num_bytes();
    migrated.mac = mac_.mac().finish();
    if (digest_) migrated.sha256 = digest_->finish();
  }

 private:
  PlaintextKindStage kind_;
  PlaintextMacStage mac_;
  std::optional<DigestStage> digest_;
};

// Returns the end of the file, which tells it from all files but its copies. Returns nothing for an input that cannot
// seek.
std::string mark_of(const Input& input) {
  constexpr std::uint64_t mark_bytes = 64;
  const std::uint64_t num_bytes = size_of(input.descriptor()), size = std::min(num_bytes, mark_bytes);
  std::string mark(static_cast<std::size_t>(size), '\0');
  const MutableBytes bytes(reinterpret_cast<std::uint8_t*>(mark.data()), mark.size());
  mark.resize(read_at(input.descriptor(), bytes, num_bytes - size, input.name()));
  return mark;
}

void count_trials(const Migration& migration, const std::string& mark, const MatchedCandidate& choice) {
  migration.trials.opened(choice.with.candidate, mark);
  for (const std::string& other : choice.others) migration.trials.failed(other);
}

void judge(const Migration& migration, const std::string& mark, const OpenedFile& old, Input& input,
           const PlaintextLook& look, MigratedFile& migrated) {
  const Bytes secret = migration.candidates.secrets[old.choice().secret];
  migrated.evidence = judge_key({old.choice(), old.message(), secret, input, old.start(), look.kind(), look.mac()});
  count_trials(migration, mark, old.choice());
}

// Returns the facts about IN, once it went through the stages. The facts about OUT are still missing.
MigratedFile read_old(const Migration& migration, Input& input, const OpenedFile& old, PlaintextLook& look) {
  require_unchanged(migration, input);
  MigratedFile migrated;
  migrated.source = FileStamp(input.status());
  migrated.in_bytes = size_of(input.descriptor());
  migrated.digest = old.message().digest();
  judge(migration, mark_of(input), old, input, look, migrated);
  look.finish(migrated);
  return migrated;
}

// The container that is sealed, whose name is its own.
ContainerJob job_of(const Migration& migration, const MigrationTarget& target) {
  ContainerJob job = migration.container;
  if (migration.bind_names) job.binding = placed_at(job.binding, target.name);
  return job;
}

MigratedFile write_container(const Migration& migration, Input& input, OpenedFile& old, const MigrationTarget& target,
                             Output& output, ContainerFileWriter& writer, Progress& progress) {
  if (target.on_beginning) target.on_beginning({old.message(), old.choice(), writer, output.file()});
  PlaintextLook look(migration);
  std::vector<PipelineStage*> stages{&old.message().decryption()};
  look.add_to(stages);
  const std::optional<std::uint64_t> most_plain_bytes = old.message().remaining_bytes();
  const std::unique_ptr<PieceReader> reader = old.message().reader(plain_piece_bytes);
  reading_old(migration, input, old.start(), [&] { return writer.write(*reader, stages, progress, most_plain_bytes); });
  MigratedFile migrated = read_old(migration, input, old, look);
  migrated.out_bytes = writer.written_bytes();
  AtomicFile* const file = output.file();
  if (migration.verify) {
    writer.read_back(migration.mac_key, migrated.mac, progress);
    migrated.verified = true;
    migrated.verified_from = writer.read_back_source();
  }
  const bool preserve = migration.preserve && file != nullptr && S_ISREG(input.status().st_mode);
  if (preserve) file->keep_attributes(read_attributes(input.descriptor()));
  if (migration.body_facts) migrated.body = writer.body_facts(migration.body_digest);
  if (writer.goes_on()) migrated.unshown = explain_unshown(migration.container);
  if (!migrated.unshown.empty()) migrated.unshown += std::string(", or begin afresh with ") + target.names.force;
  writer.commit();
  if (file != nullptr) {
    migrated.container = file->committed_stamp();
    migrated.lost_attributes = file->lost_attributes();
    migrated.is_out_durable = file->is_name_durable();
  }
  return migrated;
}

}  // namespace

// ContainerFileWriter wants pieces of one size, and sectors that straddle two of them could not be decrypted piece by piece.
void check_sectors(const MessagePlan& plan, const std::string& setting) {
  const std::size_t sector = plan.job.sectors.sector_bytes;
  if (sector == 0 || plain_piece_bytes % sector == 0) return;
  throw Error(ErrorCode::usage, setting + " must divide 1 MiB here: for another, decrypt first, and then encrypt");
}

OpenedBeginning open_beginning(const Migration& migration, Input& input) {
  const std::string mark = mark_of(input);
  const std::unique_ptr<OpenedFile> old = begin_old(migration, input, true);
  const std::unique_ptr<PieceReader> reader = old->message().reader(plain_piece_bytes);
  OpenedBeginning begun{.evidence = {}, .plain = SecretBytes(reader->buffer_bytes())};
  Piece piece;
  piece.buffer = begun.plain;
  PlaintextKindStage kind;
  PlaintextMac mac(migration.mac_key);
  reading_old(migration, input, old->start(), [&] {
    if (!reader->read(piece) || piece.lacks_room()) piece = {};
    if (piece.buffer.empty()) return;
    old->message().decryption().process(piece);
    kind.process(piece);
    mac.add(piece.offset, piece.content());
  });
  begun.plain_bytes = piece.size;
  begun.is_whole = piece.last;
  // Where more follows, sums and sectors are not for a look.
  const MatchedCandidate& choice = old->choice();
  const std::optional<std::uint64_t> start = begun.is_whole ? old->start() : std::nullopt;
  const Bytes secret = migration.candidates.secrets[choice.secret];
  begun.evidence = judge_key({choice, old->message(), secret, input, start, kind, mac});
  if (!begun.is_whole) begun.evidence.with.padding_bytes = choice.with.padding_bytes;
  count_trials(migration, mark, choice);
  return begun;
}

MigratedFile read_old_file(const Migration& migration, Input& input, Progress& progress) {
  const std::unique_ptr<OpenedFile> old = begin_old(migration, input);
  PlaintextLook look(migration);
  std::vector<PipelineStage*> stages{&old->message().decryption()};
  look.add_to(stages);
  NullPieces nowhere;
  const std::unique_ptr<PieceReader> reader = old->message().reader(plain_piece_bytes);
  const PieceThreads threads = piece_threads(old->choice().plan.options, old->message().engine());
  reading_old(migration, input, old->start(), [&] { return run_pieces(*reader, stages, nowhere, progress, threads); });
  return read_old(migration, input, *old, look);
}

ReadContainer read_container(const Migration& migration, const std::string& name, Input& out, Progress& progress) {
  const ContentSource source = sync_and_read_from_disk(out.descriptor(), out.name());
  const ContainerHeader header = read_header(out);
  Binding binding = placed_at(migration.container.binding, name);
  binding.needs_name = binding.needs_name || migration.bind_names;
  const OpenedForAll opened = open_for_all(header, migration.container, binding);
  const RunOptions& options = migration.container.options;
  const ChunkedCipher cipher = read_body_prefix(out, header, opened.data_key, binding.context, options);
  ReadContainer container;
  container.unshown = opened.unshown;
  container.source = source;
  container.stamp = FileStamp(out.status());
  container.num_bytes = size_of(out.descriptor());
  FoundBody found{.with_digest = migration.body_digest};
  container.mac = read_back_chunks(cipher, out, container.num_bytes, options, migration.mac_key, progress,
                                   migration.body_facts ? &found : nullptr);
  container.body = found.facts;
  container.body.header = digest_header(header.bytes);
  require_unchanged(migration, out);
  return container;
}

MigratedFile compare_migrated(const Migration& migration, Input& input, const MigrationTarget& target, Progress& progress) {
  migration.needed.refuse(input.status(), input.name());
  if (!can_open(migration.container)) {
    throw Error(ErrorCode::usage, target.out +
                                      " exists, and to compare it needs an identity or a key that opens it: give one, "
                                      "or move it away");
  }
  MigratedFile migrated = read_old_file(migration, input, progress);
  const std::string or_replace = target.may_replace ? std::string(", or replace it with ") + target.names.force : "";
  const std::string differs = " exists and is not the container of this file: move it away" + or_replace;
  Input out = open_regular_file(target.out);
  ReadContainer container;
  try {
    container = read_container(migration, target.name, out, progress);
  } catch (const MissingRecipient& error) {
    throw Error(ErrorCode::usage, target.out + " exists, and " + error.what() + or_replace);
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, target.out + differs + " (" + error.what() + ')');
  }
  if (container.mac != migrated.mac) throw Error(ErrorCode::usage, target.out + differs);
  migrated.container = container.stamp;
  if (!container.unshown.empty()) migrated.unshown = container.unshown + or_replace;
  migrated.body = container.body;
  migrated.out_bytes = container.num_bytes;
  migrated.verified = true;
  migrated.verified_from = container.source;
  if (!sync_whole(out.descriptor())) throw_system_error("make durable", target.out);
  migrated.is_out_durable = sync_folder_of(resolve_links(target.out));
  return migrated;
}

MigratedFile migrate_file(const Migration& migration, Input& input, const MigrationTarget& target, Progress& progress) {
  migration.needed.refuse(input.status(), input.name());
  const OutputOptions options{.force = target.force,
                              .can_resume = target.can_resume,
                              .resume = target.resume,
                              .made_up = target.made_up,
                              .takes_partial = target.is_brief,
                              .is_leftover = target.force ? nullptr : may_be_begun_container,
                              .heir = migration.preserve ? std::optional(input.status().st_uid) : std::nullopt,
                              .needed = &migration.needed,
                              .shared = target.shared,
                              .is_brief = target.is_brief,
                              .names = target.names};
  Output output(target.out, options, &input);
  const std::unique_ptr<OpenedFile> old = begin_old(migration, input);
  output.open();
  if (migration.verify && output.file() == nullptr) {
    throw Error(ErrorCode::usage, output.name() + " cannot be read back: name a file as OUT, or do not verify");
  }
  if (output.file() != nullptr && output.file()->found_bytes() == 0) discard_on_error(output, target);
  const ContainerJob job = job_of(migration, target);
  ContainerFileWriter writer(job, output);
  try {
    return write_container(migration, input, *old, target, output, writer, progress);
  } catch (...) {
    discard_on_error(output, target);
    throw;
  }
}

}  // namespace phalanx
