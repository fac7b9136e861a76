#include "io/in_place.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "io/atomic_file.hpp"
#include "io/interruption.hpp"

namespace phalanx {
namespace {

constexpr const char* how_to_resume = "the same command again resumes it";

}  // namespace

// The state of one run over the file.
struct InPlaceFile::Run {
  ChunkCipher& cipher;
  Direction direction;
  std::size_t piece_bytes;
  std::size_t block_bytes;
  Journal journal;
  SecretBytes memory;
  Chunk chunk{};            // the piece at work
  std::uint64_t piece = 0;  // its number
  ChainValue preceding{};   // the ciphertext block before it

  void next_piece(const ChainValue& last_block) {
    ++piece;
    preceding = last_block;
  }

  // Of the ciphertext that the chunk holds.
  [[nodiscard]] ChainValue last_block() const {
    ChainValue block;
    if (chunk.size < block_bytes) return block;
    block.size = block_bytes;
    std::copy_n(chunk.buffer.begin() + static_cast<std::ptrdiff_t>(chunk.size - block_bytes), block_bytes,
                block.bytes.begin());
    return block;
  }
};

InPlaceFile::InPlaceFile(const std::string& path) : path_(resolve_links(path)) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::usage, path + " is not a regular file: --in-place works on those only");
  }
  file_ = open_file(path_, O_RDWR);
  if (fstat(file_.get(), &status) != 0) throw_system_error("open", path_);
  size_bytes_ = static_cast<std::uint64_t>(status.st_size);
}

std::uint64_t InPlaceFile::crypt(ChunkCipher& cipher, const CryptJob& job, const JournalIdentity& identity,
                                 std::size_t block_bytes, Progress& progress) {
  cipher.check_length(size_bytes_);
  if (size_bytes_ == 0) return 0;
  const std::size_t piece_bytes = chunk_bytes_for(job);
  const std::size_t most_bytes = piece_bytes + largest_block_bytes;  // the last piece may be longer: see load_piece
  const auto slot_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(size_bytes_, most_bytes));
  Run run{.cipher = cipher,
          .direction = job.direction,
          .piece_bytes = piece_bytes,
          .block_bytes = block_bytes,
          .journal = Journal(path_ + ".phalanx-journal", identity, slot_bytes),
          .memory = SecretBytes(most_bytes + max_padding_bytes)};
  run.chunk.buffer = run.memory;
  say_on_interruption(how_to_resume);
  std::uint64_t found_bytes = 0;
  try {
    resume(run);
    found_bytes = run.chunk.offset + run.chunk.size;
    progress.add(found_bytes);
    while (!run.chunk.last) {
      load_piece(run);
      crypt_piece(run, false);
      progress.add(run.chunk.size);
    }
  } catch (const Error& error) {
    throw Error(error.code(), std::string(error.what()) + "; " + how_to_resume);
  }
  run.journal.remove();
  say_on_interruption(nullptr);
  return found_bytes;
}

// Finishes the piece of the journal's newest record, whatever state it is in.
void InPlaceFile::resume(Run& run) const {
  const auto record = run.journal.newest(run.chunk.buffer);
  if (!record) return;
  run.piece = record->piece;
  run.preceding = record->preceding;
  run.chunk.offset = record->piece * run.piece_bytes;
  run.chunk.size = record->size;
  run.chunk.last = run.chunk.offset + run.chunk.size == size_bytes_;
  if (run.direction == Direction::decrypt) {
    run.cipher.resume(run.chunk.offset, run.preceding);
    crypt_piece(run, true);
  } else {
    overwrite_piece(run);
    run.next_piece(run.last_block());
    run.cipher.resume(run.chunk.offset + run.chunk.size, run.preceding);
  }
}

// Pieces are cut as ChunkReader cuts a stream.
void InPlaceFile::load_piece(Run& run) const {
  run.chunk.offset = run.piece * run.piece_bytes;
  const std::uint64_t rest = size_bytes_ - run.chunk.offset;
  run.chunk.last = rest < run.piece_bytes + largest_block_bytes;
  run.chunk.size = run.chunk.last ? static_cast<std::size_t>(rest) : run.piece_bytes;
  if (read_at(file_.get(), run.chunk.buffer.first(run.chunk.size), run.chunk.offset, path_) < run.chunk.size) {
    throw Error(ErrorCode::runtime, path_ + " became shorter while we were at work on it");
  }
}

void InPlaceFile::crypt_piece(Run& run, bool in_journal) const {
  run.chunk.preceding = run.preceding;
  const JournalRecord record{.piece = run.piece, .preceding = run.preceding, .size = run.chunk.size};
  const MutableBytes text = run.chunk.buffer.first(run.chunk.size);
  ChainValue last_block = run.last_block();
  if (run.direction == Direction::decrypt && !in_journal) run.journal.write(record, text);
  run.cipher.process(run.chunk);
  if (run.direction == Direction::encrypt) {
    last_block = run.last_block();
    run.journal.write(record, text);
  }
  overwrite_piece(run);
  run.next_piece(last_block);
}

void InPlaceFile::overwrite_piece(const Run& run) const {
  write_at(file_.get(), run.chunk.buffer.first(run.chunk.size), run.chunk.offset, path_);
  if (fdatasync(file_.get()) != 0) throw_system_error("write", path_);
}

}  // namespace phalanx
