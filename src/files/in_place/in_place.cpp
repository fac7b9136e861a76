#include "files/in_place/in_place.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "engine/text/hex.hpp"
#include "files/pipeline/parallel_parts.hpp"
#include "files/system/output/atomic_file.hpp"
#include "files/system/output/cached_pages.hpp"
#include "files/system/path_safety.hpp"
#include "files/system/signals.hpp"

namespace phalanx {
namespace {

// A long file is taken in pieces that keep many threads busy; which, depends on its length alone, so that any run finds
// them.
constexpr std::uint64_t long_file_bytes = std::uint64_t{64} << 20;
constexpr std::size_t pieces_at_once = 16;

constexpr const char* how_to_resume = "the same command again resumes it";

[[noreturn]] void throw_changed(const std::string& path, const std::string& journal_path) {
  throw Error(ErrorCode::format,
              path + " is not as the run that was stopped left it: it was replaced, restored or changed " +
                  "since; to begin anew on it as it is now, remove " + journal_path,
              {.name = path});
}

}  // namespace

// The state of one run over the file.
struct InPlaceFile::Run {
  int num_threads;
  MessageCipher& cipher;
  const CryptJob& job;
  std::size_t piece_bytes;
  std::size_t block_bytes;
  std::uint64_t num_pieces;
  InPlaceMark& mark;
  Journal journal;
  SecretBytes memory;
  SecretBytes ahead;              // the piece after the one at work
  Piece piece{};                  // the piece at work
  std::uint64_t number = 0;       // its number
  ChainValue preceding{};         // the ciphertext block before it
  JournalRecord around{};         // the digests of the pieces around it
  std::uint64_t ahead_piece = 0;  // the number of the piece in `ahead`; 0: none
  bool is_refused = false;        // nothing was begun, and nothing is left of it

  [[nodiscard]] bool encrypts() const { return job.direction == Direction::encrypt; }

  // Returns the last block of the ciphertext that the piece holds.
  [[nodiscard]] ChainValue last_block() const {
    ChainValue block;
    if (piece.size < block_bytes) return block;
    block.size = block_bytes;
    std::copy_n(piece.buffer.begin() + static_cast<std::ptrdiff_t>(piece.size - block_bytes), block_bytes,
                block.bytes.begin());
    return block;
  }

  // The piece at work is done: `done` is the digest of what it now holds.
  void next_piece(const ChainValue& last_ciphertext_block, const PieceDigest& done) {
    if (number == 0) around.first = done;
    around.last_done = done;
    preceding = last_ciphertext_block;
    ++number;
  }
};

InPlaceFile::InPlaceFile(const std::string& path, const ProtectedFiles& needed, MarkRules mark_rules)
    : path_(resolve_links(path)), mark_rules_(std::move(mark_rules)) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::usage, path + " is not a regular file: only those are crypted in place");
  }
  file_ = open_file(path_, O_RDWR | O_NOFOLLOW);
  if (fstat(file_.get(), &status) != 0) throw_system_error("open", path_);
  needed.refuse(status, path);
  if (::stat((path_ + journal_suffix).c_str(), &status) == 0) needed.refuse(status, path_ + journal_suffix);
  if (!lock_file(file_.get(), path_)) {
    throw Error(ErrorCode::usage, path_ + " is in use: another run is at work on it, or another program holds its lock");
  }
  if (fstat(file_.get(), &status) != 0 || !S_ISREG(status.st_mode)) throw_system_error("open", path_);
  if (status.st_nlink > 1) {
    throw Error(ErrorCode::usage, path_ +
                                      " has other names too, hard links, which would change with it and do not lead to " +
                                      "its journal: remove them, or work on a copy");
  }
  identity_ = FileIdentity(status);
  size_bytes_ = static_cast<std::uint64_t>(status.st_size);
}

std::size_t InPlaceFile::piece_bytes_of(const CryptJob& job) const {
  return piece_bytes_for(job) * (size_bytes_ >= long_file_bytes ? pieces_at_once : 1);
}

std::string journal_parameters(const std::string& cipher_name, const CryptJob& job, std::size_t piece_bytes) {
  const SectorLayout& sectors = job.sectors;
  return cipher_name + (job.direction == Direction::encrypt ? " encrypt" : " decrypt") + " iv=" + encode_hex(job.iv) +
         " sector=" + std::to_string(sectors.sector_bytes) + " tweak=" + std::to_string(sectors.first_tweak) +
         " step=" + std::to_string(sectors.tweak_step) + " piece=" + std::to_string(piece_bytes);
}

JournalIdentity InPlaceFile::identity_for(const RawCipher& cipher, const CryptJob& job, const JournalUse& use,
                                          const InPlaceMark& mark) const {
  const std::size_t piece_bytes = piece_bytes_of(job);
  return {.parameters = journal_parameters(cipher.facts().name, job, piece_bytes),
          .key = use.key,
          .file = identity_,
          .file_bytes = size_bytes_,
          .num_pieces = num_pieces_of(size_bytes_, piece_bytes),
          .read_piece = [this, piece_bytes](std::uint64_t piece) { return content_in_file(piece, piece_bytes); },
          .num_threads = use.num_threads,
          .why_not_anew = mark.why_not_anew(),
          .was_begun = mark.is_own(),
          .any_device = use.any_device,
          .any_device_name = use.any_device_name};
}

std::uint64_t InPlaceFile::crypt(const RawCipher& raw_cipher, CryptJob job, const JournalUse& use, Progress& progress) {
  const std::string journal_path = path_ + journal_suffix;
  job.goes_on = identity_at(journal_path).has_value();
  if (job.goes_on) drop_cached();
  MessageCipher cipher(raw_cipher, job);
  cipher.check_length(size_bytes_);
  if (size_bytes_ == 0) return 0;
  InPlaceMark mark(file_.get(), path_, journal_path);
  // If the user has removed the journal, the run begins anew. From here on the mark says that a journal was whole.
  if (mark.is_own() && !identity_at(journal_path)) {
    if (mark_rules_.tell)
      mark_rules_.tell(path_ + " was half done, and its journal is gone: it is crypted from its beginning, as it is now");
    mark.remove();
  }
  const JournalIdentity identity = identity_for(raw_cipher, job, use, mark);
  const std::size_t piece_bytes = piece_bytes_of(job);
  const std::size_t most_bytes = piece_bytes + largest_block_bytes;  // the last piece may be longer
  const auto slot_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(size_bytes_, most_bytes));
  Run run{.num_threads = identity.num_threads,
          .cipher = cipher,
          .job = job,
          .piece_bytes = piece_bytes,
          .block_bytes = raw_cipher.facts().block_bytes,
          .num_pieces = identity.num_pieces,
          .mark = mark,
          .journal = Journal(journal_path, identity, slot_bytes),
          .memory = SecretBytes(most_bytes + max_padding_bytes),
          .ahead = SecretBytes(most_bytes + max_padding_bytes)};
  run.piece.buffer = run.memory;
  mapping_ = OutputMapping::make(file_.get(), size_bytes_);
  std::optional<SignalNote> note(Interrupted::in_place_goes_on);
  const std::uint64_t found_bytes = crypt_pieces(run, progress);
  mapping_.reset();
  held_back_.emplace();  // from here on the journal may be gone, and then nothing resumes
  held_back_->forget();
  note.reset();
  static const SignalNote complete(Interrupted::in_place_is_complete);  // to the end of the process
  remove_journal(run);
  require_size();
  require_name();
  return found_bytes;
}

// From now on the file is read as it is on the disk, since the run that was stopped may have written more than came
// there.
void InPlaceFile::drop_cached() const {
  const ContentSource source = read_from_disk(file_.get());
  if (source == ContentSource::cache && mark_rules_.tell)
    mark_rules_.tell(path_ + ' ' + std::string(why_not_from_disk(source)));
}

std::uint64_t InPlaceFile::crypt_pieces(Run& run, Progress& progress) {
  try {
    resume(run);
    const std::uint64_t found_bytes = run.piece.offset + run.piece.size;
    progress.add(found_bytes);
    while (!run.piece.last) {
      load_piece(run);
      crypt_piece(run, false);
      progress.add(run.piece.size);
    }
    if (const std::uint64_t num_now = num_bytes_now(); num_now == size_bytes_) {
      run.mark.remove();
    } else {
      run.mark.set_resized(size_bytes_, num_now);
    }
    return found_bytes;
  } catch (const DamagedJournal&) {
    throw;
  } catch (const Error& error) {
    // The file is not as it was left, or has lost what was still to be crypted: that is the end of this journal.
    const bool unfit = error.code() == ErrorCode::usage || error.code() == ErrorCode::format;
    if (unfit || run.is_refused || num_bytes_now() != size_bytes_) throw;
    throw Error(error, std::string(error.what()) + "; " + how_to_resume);
  }
}

// This run cannot tell whether the journal is still there, or only its removal is not known to be durable.
void InPlaceFile::remove_journal(Run& run) const {
  try {
    run.journal.remove();
  } catch (const Error& error) {
    throw Error(error, std::string(error.what()) + "; " + path_ + " is complete: give the same command again only " +
                           "as long as its journal is there, which removes that");
  }
}

// If the system does not tell the size, it counts as unchanged.
std::uint64_t InPlaceFile::num_bytes_now() const {
  struct stat status {};
  return fstat(file_.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : size_bytes_;
}

// Bytes that were added during the run are as they were added, and bytes that were cut off are gone.
void InPlaceFile::require_size() const {
  const std::uint64_t num_now = num_bytes_now();
  if (num_now == size_bytes_) return;
  const bool grew = num_now > size_bytes_;
  throw Error(ErrorCode::runtime, path_ + " changed its size while we were at work on it: " +
                                      (grew ? "only its first " + std::to_string(size_bytes_) + " bytes are crypted"
                                            : "the " + std::to_string(num_now) + " bytes that are left are crypted") +
                                      ". Do not give the command again, which would crypt those twice: " +
                                      (grew ? "cut off what was added" : "take a copy of before") +
                                      ", or undo it with the other direction");
}

// Editors write a new file under the same name. Such a file is not crypted.
void InPlaceFile::require_name() const {
  std::optional<FileIdentity> now;
  try {
    now = identity_at(path_);
  } catch (const Error& error) {
    throw Error(error, std::string(error.what()) + "; the file that was crypted is complete");
  }
  if (now == identity_) return;
  throw Error(ErrorCode::runtime,
              path_ + " was renamed, replaced or removed by another program while we were at work on it: " +
                  "the file that was crypted has another name now, or none, and what has this name is not");
}

// Before anything is overwritten.
void InPlaceFile::set_mark(Run& run) const {
  const int error = run.mark.set();
  if (error == 0) return;
  const std::string why = " (" + std::system_category().message(error) + ")";
  const std::string what_follows = ": do not rename or move it until it is done, or it may be crypted twice";
  if (InPlaceMark::is_kept_nowhere(error)) {
    return mark_rules_.tell(path_ + " is on a file system that keeps no extended attributes, and gets no mark" +
                            what_follows);
  }
  if (!mark_rules_.needs_room) {
    return mark_rules_.tell(path_ + " has no room for an extended attribute" + why + ", and gets no mark" + what_follows);
  }
  if (run.journal.is_new()) {
    run.is_refused = true;
    run.journal.remove();
  }
  throw Error(ErrorCode::runtime,
              path_ + " has no room for the extended attribute that marks it until it is done" + why +
                  ": make room, or give " + mark_rules_.option,
              {.name = path_, .system_error = error});
}

// Nothing was overwritten yet.
void InPlaceFile::begin(Run& run) {
  if (run.num_pieces > 1) run.around.last = run.journal.untouched_last();
  run.journal.renew();
  set_mark(run);
}

// Finishes the piece of the journal's newest record, whatever state it is in.
void InPlaceFile::resume(Run& run) {
  const auto record = run.journal.newest(run.piece.buffer);
  if (!record) return begin(run);
  run.number = record->piece;
  run.preceding = record->preceding;
  run.around = *record;
  set_piece(run);
  if (run.piece.size != record->size) throw Error(ErrorCode::runtime, run.journal.path() + " is damaged");
  if (!run.journal.is_around(*record)) throw_changed(path_, run.journal.path());
  check_piece_at_work(run, *record);
  run.journal.renew();
  set_mark(run);
  if (run.encrypts()) {
    overwrite_piece(run);
    run.next_piece(run.last_block(), record->content);
    run.cipher.resume(run.piece.offset + run.piece.size, run.preceding);
  } else {
    run.cipher.resume(run.piece.offset, run.preceding);
    crypt_piece(run, true);
  }
  require_on_disk(run);
}

// Reads back the piece that was written once more, before a record says that it is done. Where an earlier write of it
// failed, a file system may take the next one, and lose it.
void InPlaceFile::require_on_disk(Run& run) const {
  static_cast<void>(drop_cached_pages(file_.get(), run.piece.offset, run.piece.offset + run.piece.size));
  const MutableBytes there = MutableBytes(run.ahead).first(run.piece.size);
  if (read_at(file_.get(), there, run.piece.offset, path_) == there.size() && std::ranges::equal(there, run.piece.content()))
    return;
  throw Error(ErrorCode::runtime,
              path_ + " is on a disk that does not keep what is written to it: " + run.journal.path() +
                  " has that piece; copy both to another disk, and go on there",
              {.name = path_});
}

SecretBytes InPlaceFile::content_in_file(std::uint64_t piece, std::size_t piece_bytes) const {
  const PieceRange range = piece_range(piece, size_bytes_, piece_bytes);
  SecretBytes content(range.size);
  content.shrink(read_at(file_.get(), content, range.offset, path_));
  return content;
}

// Each byte of the piece that was being overwritten is the old one or the new one.
void InPlaceFile::check_piece_at_work(Run& run, const JournalRecord& record) const {
  const MutableBytes recorded = run.piece.buffer.first(record.size);
  SecretBytes crypted(run.memory.size());
  std::copy(recorded.begin(), recorded.end(), crypted.begin());
  CryptJob job = run.job;
  job.direction = Direction::decrypt;
  MessageCipher decryption = run.cipher.with(job);
  decryption.resume(run.piece.offset, run.preceding);
  Piece piece = run.piece;
  piece.buffer = crypted;
  piece.preceding = run.preceding;
  decryption.process(piece);
  const MutableBytes there = MutableBytes(run.ahead).first(record.size);
  const bool same = read_at(file_.get(), there, run.piece.offset, path_) == there.size();
  unsigned differences = 0;
  for (std::size_t i = 0; i < there.size(); ++i) {
    const unsigned from_recorded = there[i] ^ recorded[i], from_plain = there[i] ^ crypted.data()[i];
    differences |= ((from_recorded + 255) & (from_plain + 255)) >> 8;  // 1 if both are not 0
  }
  if (!same || differences != 0) throw_changed(path_, run.journal.path());
}

void InPlaceFile::set_piece(Run& run) const {
  const PieceRange range = piece_range(run.number, size_bytes_, run.piece_bytes);
  run.piece.buffer = run.memory;
  run.piece.offset = range.offset;
  run.piece.size = range.size;
  run.piece.last = range.last;
}

void InPlaceFile::read_piece(const Run& run, std::uint64_t offset, MutableBytes out) const {
  for_each_part(run.num_threads, out.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    if (read_at(file_.get(), out.subspan(begin, size), offset + begin, path_) == size) return;
    throw Error(ErrorCode::runtime, path_ + " became shorter while we were at work on it");
  });
}

// Takes the piece that was read ahead, so that what is crypted is what its digest is of.
void InPlaceFile::load_piece(Run& run) const {
  const bool is_ahead = run.number != 0 && run.ahead_piece == run.number;
  if (is_ahead) std::swap(run.memory, run.ahead);
  set_piece(run);
  if (!is_ahead) read_piece(run, run.piece.offset, run.piece.buffer.first(run.piece.size));
  const Bytes text = run.piece.buffer.first(run.piece.size);
  if (!run.encrypts()) run.around.content = is_ahead ? run.around.next : run.journal.digest_of(run.number, text);
  run.around.next = {};
  if (run.piece.last) return;
  run.ahead_piece = run.number + 1;
  const PieceRange next = piece_range(run.ahead_piece, size_bytes_, run.piece_bytes);
  read_piece(run, next.offset, MutableBytes(run.ahead).first(next.size));
  run.around.next = run.journal.digest_of(run.ahead_piece, Bytes(run.ahead).first(next.size));
}

// `recorded`: the piece holds ciphertext that the journal holds too.
void InPlaceFile::crypt_piece(Run& run, bool recorded) {
  run.piece.preceding = run.preceding;
  run.around.piece = run.number;
  run.around.preceding = run.preceding;
  run.around.size = run.piece.size;
  const MutableBytes text = run.piece.buffer.first(run.piece.size);
  ChainValue last_block = run.last_block();
  if (!run.encrypts() && !recorded) run.journal.write(run.around, text);
  run.cipher.process(run.piece);
  const PieceDigest done = run.journal.digest_of(run.number, text);
  if (run.encrypts()) {
    last_block = run.last_block();
    run.around.content = done;
    run.journal.write(run.around, text);
  }
  overwrite_piece(run);
  run.next_piece(last_block, done);
}

void InPlaceFile::overwrite_piece(const Run& run) {
  const Bytes content = run.piece.content();
  for_each_part(run.num_threads, content.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    write_by(mapping_.get(), file_.get(), content.subspan(begin, size), run.piece.offset + begin, path_);
  });
  if (!sync_data(file_.get())) throw_system_error("write", path_);
}

}  // namespace phalanx
