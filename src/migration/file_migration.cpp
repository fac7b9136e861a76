#include "migration/file_migration.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "container/file/read_back.hpp"
#include "container/file/stages.hpp"
#include "container/file/stream_reader.hpp"
#include "files/file_attributes.hpp"
#include "files/named_place.hpp"
#include "files/output/atomic_file.hpp"
#include "foreign/padding_evidence.hpp"
#include "foreign/search/opened_file.hpp"
#include "migration/key_judging.hpp"
#include "migration/plaintext_kind_stage.hpp"
#include "pipeline/digest_stage.hpp"
#include "pipeline/piece_sinks.hpp"

namespace phalanx {
namespace {

bool is_about_source(ErrorCode code) { return code == ErrorCode::wrong_key || code == ErrorCode::truncated; }

// Makes an UnopenedFile of what is wrong with IN. Padding that does not check means the wrong key, and with openssl's files
// often a wrong derivation.
template <class Read>
auto reading_old(const Migration& migration, const Read& read) {
  try {
    return read();
  } catch (const UnopenedFile&) {
    throw;
  } catch (const Error& error) {
    if (!is_about_source(error.code())) throw;
    const Candidate& first = migration.candidates.list.front();
    if (error.code() == ErrorCode::wrong_key) migration.trials.failed(first.name);
    throw UnopenedFile(error, explain_foreign(error, first.plan));
  }
}

// Its beginning, where what is wrong may also be its format.
std::unique_ptr<OpenedFile> begin_old(const Migration& migration, Input& input) {
  try {
    return reading_old(migration,
                       [&] { return std::make_unique<OpenedFile>(migration.candidates, input, migration.trials); });
  } catch (const UnopenedFile&) {
    throw;
  } catch (const Error& error) {
    const bool unfit = error.code() == ErrorCode::usage || error.code() == ErrorCode::format;
    if (unfit) throw UnopenedFile(error, error.what());
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

// What looks at the plaintext while it goes by: its kind, its MAC and, where that is asked for, its SHA-256.
class PlaintextLook {
 public:
  explicit PlaintextLook(const Migration& migration) : mac_(migration.mac_key) {
    if (migration.sha256) digest_.emplace();
  }

  void add_to(std::vector<PieceStage*>& stages) {
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

// What tells a file from all others but its copies: its end. Nothing for what cannot seek.
std::string mark_of(const Input& input) {
  constexpr std::uint64_t mark_bytes = 64;
  const std::uint64_t num_bytes = size_of(input.descriptor()), size = std::min(num_bytes, mark_bytes);
  std::string mark(static_cast<std::size_t>(size), '\0');
  const MutableBytes bytes(reinterpret_cast<std::uint8_t*>(mark.data()), mark.size());
  mark.resize(read_at(input.descriptor(), bytes, num_bytes - size, input.name()));
  return mark;
}

void judge(const Migration& migration, const std::string& mark, const OpenedFile& old, Input& input,
           const PlaintextLook& look, MigratedFile& migrated) {
  const MatchedCandidate& choice = old.choice();
  migrated.found = choice.found;
  migrated.found_note = choice.note;
  migrated.also_fit = choice.also_fit;
  migrated.kind = look.kind().kind();
  const Bytes secret = migration.candidates.secrets[choice.secret];
  migrated.evidence = judge_key({choice, old.message(), secret, input, old.start(), look.kind(), look.mac()});
  migration.trials.opened(choice.candidate, mark);
  for (const std::string& other : choice.others) migration.trials.failed(other);
}

// What IN gave once it went through the stages, without what is known of OUT.
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

MigratedFile write_container(const Migration& migration, Input& input, OpenedFile& old, const MigrationTarget& target,
                             Output& output, ContainerFileWriter& writer, Progress& progress) {
  if (target.on_beginning) target.on_beginning({old.message(), old.choice(), writer, output.file()});
  PlaintextLook look(migration);
  std::vector<PieceStage*> stages{&old.message().decryption()};
  look.add_to(stages);
  const std::optional<std::uint64_t> most_plain_bytes = old.message().remaining_bytes();
  const std::unique_ptr<PieceReader> reader = old.message().reader(plain_piece_bytes);
  reading_old(migration, [&] { return writer.write(*reader, stages, progress, most_plain_bytes); });
  MigratedFile migrated = read_old(migration, input, old, look);
  migrated.out_bytes = writer.written_bytes();
  AtomicFile* const file = output.file();
  if (migration.verify) {
    verify_partial(migration.container, *file, {migrated.out_bytes, migration.mac_key, migrated.mac}, progress);
    migrated.verified = true;
  }
  const bool preserve = migration.preserve && file != nullptr && S_ISREG(input.status().st_mode);
  if (preserve) file->keep_attributes(read_attributes(input.descriptor()));
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

MigratedFile migrate_file(const Migration& migration, Input& input, const MigrationTarget& target, Progress& progress) {
  migration.needed.refuse(input.status(), input.name());
  const OutputOptions options{.force = target.force,
                              .can_resume = target.can_resume,
                              .resume = target.resume,
                              .made_up = target.made_up,
                              .needed = &migration.needed,
                              .names = target.names};
  Output output(target.out, options, &input);
  const std::unique_ptr<OpenedFile> old = begin_old(migration, input);
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

MatchedCandidate preview_old(const Migration& migration, Input& input) {
  const MessagePlan& first = migration.candidates.list.front().plan;
  const bool judged = migration.candidates.is_searched() || shows_wrong_key(first.job.mode, first.job.padding);
  if (judged && input.remaining_bytes()) return find_candidate(migration.candidates, input, migration.trials);
  return std::move(*begin_old(migration, input)).take_choice();
}

MigratedFile read_old_file(const Migration& migration, Input& input, Progress& progress) {
  const std::unique_ptr<OpenedFile> old = begin_old(migration, input);
  PlaintextLook look(migration);
  std::vector<PieceStage*> stages{&old->message().decryption()};
  look.add_to(stages);
  NullPieces nowhere;
  const std::unique_ptr<PieceReader> reader = old->message().reader(plain_piece_bytes);
  const RawCipher& cipher = old->message().cipher();
  const PieceThreads threads = piece_threads(old->choice().plan.options, cipher.engine());
  reading_old(migration, [&] { return run_pieces(*reader, stages, nowhere, progress, threads); });
  return read_old(migration, input, *old, look);
}

namespace {

class MissingRecipient : public Error {
 public:
  using Error::Error;
};

// Whoever is to open the container must be able to, before the old file goes: one that opens it says nothing of the others.
// All wrapped keys hold one data key, since the header's MAC is under it.
SecretBytes open_for_all(const ContainerHeader& header, std::span<const Recipient> recipients) {
  std::optional<SecretBytes> data_key;
  std::optional<Error> failure;
  std::size_t missing = 0;
  for (std::size_t i = recipients.size(); i-- > 0;) {
    try {
      data_key = open_header(header, std::vector{identity_of(recipients[i])}).data_key;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::wrong_key) throw;
      failure.emplace(error);
      missing = i;
    }
  }
  if (!data_key) throw Error(*failure);
  if (!failure) return std::move(*data_key);
  const char* const what = recipients[missing].kind == KeyKind::key ? "a key" : "a passphrase";
  throw MissingRecipient(ErrorCode::wrong_key, "recipient " + std::to_string(missing + 1) + " of those that are given, " +
                                                   what + ", does not open it: add it to its recipients");
}

}  // namespace

ReadContainer read_container(const Migration& migration, Input& out, Progress& progress) {
  const ContainerHeader header = read_header(out);
  const SecretBytes data_key = open_for_all(header, migration.container.recipients);
  // What follows the header is a bare message under the data key.
  const std::vector<std::uint8_t> context = body_context(*header.suite);
  const ContainerJob body{.suite = header.suite,
                          .recipients = {},
                          .bare = true,
                          .bare_key = data_key,
                          .bare_context = context,
                          .options = migration.container.options};
  ReadContainer container;
  container.stamp = FileStamp(out.status());
  container.num_bytes = size_of(out.descriptor());
  container.mac = read_back_mac(body, out, container.num_bytes, migration.mac_key, progress);
  require_unchanged(migration, out);
  return container;
}

MigratedFile compare_migrated(const Migration& migration, Input& input, const MigrationTarget& target, Progress& progress) {
  migration.needed.refuse(input.status(), input.name());
  MigratedFile migrated = read_old_file(migration, input, progress);
  const std::string or_replace = target.may_replace ? std::string(", or replace it with ") + target.names.force : "";
  const std::string differs = " exists and is not the container of this file: move it away" + or_replace;
  Input out = open_regular_file(target.out);
  ReadContainer container;
  try {
    container = read_container(migration, out, progress);
  } catch (const MissingRecipient& error) {
    throw Error(ErrorCode::usage, target.out + " exists, and " + error.what() + or_replace);
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, target.out + differs + " (" + error.what() + ')');
  }
  if (container.mac != migrated.mac) throw Error(ErrorCode::usage, target.out + differs);
  migrated.container = container.stamp;
  migrated.out_bytes = container.num_bytes;
  migrated.verified = true;
  if (!sync_whole(out.descriptor())) throw_system_error("make durable", target.out);
  migrated.is_out_durable = sync_folder_of(resolve_links(target.out));
  return migrated;
}

void require_container(const std::string& out, const MigratedFile& migrated) {
  if (!migrated.is_out_durable) {
    throw KeptFile("the name " + out + " is not on the disk for certain, since its folder cannot be opened or made durable");
  }
  if (stamp_at(resolve_links(out)) == migrated.container) return;
  throw Error(ErrorCode::runtime,
              out + " is no longer the container that was made, or was changed: the old file is not removed");
}

}  // namespace phalanx
