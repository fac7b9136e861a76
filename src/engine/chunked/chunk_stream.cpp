#include "engine/chunked/chunk_stream.hpp"

#include <algorithm>

#include "engine/library/argument_checks.hpp"

namespace phalanx {

ChunkSealer::ChunkSealer(ChunkedCipher cipher, std::size_t chunks_together)
    : cipher_(std::move(cipher)), group_bytes_(chunks_together * plain_chunk_bytes) {}

std::size_t ChunkSealer::update_bytes(std::size_t plain_bytes) const {
  const std::size_t num_groups = plain_bytes / group_bytes_ + (plain_bytes % group_bytes_ + num_kept_) / group_bytes_;
  return num_groups * (group_bytes_ / plain_chunk_bytes) * sealed_chunk_bytes;
}

void ChunkSealer::seal(Bytes chunks, std::size_t num_chunks, MutableBytes& sealed) {
  const std::size_t size = chunks.size() + num_chunks * chunk_tag_bytes;
  cipher_.seal(next_chunk_, chunks, sealed.first(size));
  next_chunk_ += num_chunks;
  sealed = sealed.subspan(size);
}

void ChunkSealer::keep(Bytes plain) {
  if (plain.empty()) return;
  if (kept_.size() == 0) kept_ = SecretBytes(group_bytes_);
  std::copy(plain.begin(), plain.end(), kept_.begin() + num_kept_);
  num_kept_ += plain.size();
}

// Whole groups of the caller's memory are sealed from there.
void ChunkSealer::update(Bytes plain, MutableBytes sealed) {
  if (num_kept_ != 0) {
    const std::size_t taken = std::min(plain.size(), group_bytes_ - num_kept_);
    keep(plain.first(taken));
    plain = plain.subspan(taken);
    if (num_kept_ != group_bytes_) return;
    seal(kept_, group_bytes_ / plain_chunk_bytes, sealed);
    num_kept_ = 0;
  }
  const std::size_t whole = plain.size() / group_bytes_ * group_bytes_;
  if (whole != 0) seal(plain.first(whole), whole / plain_chunk_bytes, sealed);
  keep(plain.subspan(whole));
}

std::size_t ChunkSealer::finish_bytes() const { return static_cast<std::size_t>(chunks_bytes(num_kept_)); }

void ChunkSealer::finish(MutableBytes sealed) {
  seal(Bytes(kept_).first(num_kept_), static_cast<std::size_t>(num_chunks_of_plain(num_kept_)), sealed);
}

std::size_t ChunkSealer::flush_bytes() const {
  if (num_kept_ % plain_chunk_bytes != 0) {
    fail_usage("what was written before does not end with a chunk: write multiples of 16384 bytes before a GPU's memory");
  }
  return num_kept_ / plain_chunk_bytes * sealed_chunk_bytes;
}

void ChunkSealer::flush(MutableBytes sealed) {
  seal(Bytes(kept_).first(num_kept_), num_kept_ / plain_chunk_bytes, sealed);
  num_kept_ = 0;
}

void ChunkSealer::seal_from_device(const Append& append, const void* plain, std::size_t num_bytes, void* stream) {
  ChunksToSeal chunks{};
  chunks.cutting.chunk_bytes = plain_chunk_bytes;
  chunks.cutting.plain_bytes = num_bytes;
  chunks.cutting.num_chunks = (num_bytes + plain_chunk_bytes - 1) / plain_chunk_bytes;
  chunks.append = append;
  cipher_.seal_from_device(next_chunk_, chunks, plain, stream);
  next_chunk_ += chunks.cutting.num_chunks;
}

std::size_t ChunkOpener::update_bytes(std::size_t sealed_bytes) const {
  const std::size_t more = sealed_bytes - std::min(sealed_bytes, message_prefix_bytes - num_of_prefix_);
  const std::size_t num_chunks = more / sealed_chunk_bytes + (more % sealed_chunk_bytes + kept_.size()) / sealed_chunk_bytes;
  return num_chunks * plain_chunk_bytes;
}

void ChunkOpener::take_prefix(Bytes& sealed) {
  const std::size_t taken = std::min(sealed.size(), prefix_.size() - num_of_prefix_);
  std::copy_n(sealed.begin(), taken, prefix_.begin() + num_of_prefix_);
  num_of_prefix_ += taken;
  sealed = sealed.subspan(taken);
  if (num_of_prefix_ != prefix_.size()) return;
  cipher_.emplace(key_->message_of(prefix_));
  key_.reset();
}

void ChunkOpener::open(Bytes chunks, MutableBytes& plain) {
  const std::size_t num_chunks = chunks.size() / sealed_chunk_bytes;
  const std::size_t size = num_chunks * plain_chunk_bytes;
  cipher_->open(next_chunk_, chunks, plain.first(size));
  next_chunk_ += num_chunks;
  plain = plain.subspan(size);
}

void ChunkOpener::keep(Bytes& sealed) {
  const std::size_t taken = std::min(sealed.size(), sealed_chunk_bytes - kept_.size());
  kept_.insert(kept_.end(), sealed.begin(), sealed.begin() + static_cast<std::ptrdiff_t>(taken));
  sealed = sealed.subspan(taken);
}

// A full chunk is never the last, so that it is opened where it ends. Those in the caller's memory are opened from there.
void ChunkOpener::take_chunks(Bytes sealed, MutableBytes plain) {
  if (!kept_.empty()) {
    keep(sealed);
    if (kept_.size() != sealed_chunk_bytes) return;
    open(kept_, plain);
    kept_.clear();
  }
  const std::size_t whole = sealed.size() / sealed_chunk_bytes * sealed_chunk_bytes;
  if (whole != 0) open(sealed.first(whole), plain);
  sealed = sealed.subspan(whole);
  if (!sealed.empty()) keep(sealed);
}

void ChunkOpener::update(Bytes sealed, MutableBytes plain) {
  try {
    if (!cipher_) take_prefix(sealed);
    if (cipher_) take_chunks(sealed, plain);
  } catch (...) {
    wipe_memory(plain.data(), plain.size());
    throw;
  }
}

std::size_t ChunkOpener::finish_bytes() const {
  if (!cipher_) return static_cast<std::size_t>(plain_bytes_of_message(num_of_prefix_));
  return static_cast<std::size_t>(plain_bytes_of_chunks(kept_.size()));
}

void ChunkOpener::finish(MutableBytes plain) {
  static_cast<void>(finish_bytes());  // there is a last chunk
  cipher_->open(next_chunk_, kept_, plain);
}

void StreamLife::begin_call() {
  process_.require_this_process();
  if (is_over_) fail_usage(over_);
  is_over_ = true;
}

SealedStream::SealedStream(Append append, ChunkedCipher cipher, std::size_t chunks_together, const char* over)
    : append_(std::move(append)), sealer_(std::move(cipher), chunks_together), life_(over) {
  append_(sealer_.prefix());
}

void SealedStream::begin_write() {
  life_.begin_call();
  if (has_ended_)
    fail_usage("a GPU's memory that was no multiple of 16384 bytes has ended this message: only finish may come");
}

void SealedStream::write_from_device(const void* plain, std::size_t num_bytes, void* stream) {
  begin_write();
  sealed_.resize(sealer_.flush_bytes());
  if (!sealed_.empty()) {
    sealer_.flush(sealed_);
    append_(sealed_);
  }
  if (num_bytes != 0) sealer_.seal_from_device(append_, plain, num_bytes, stream);
  has_ended_ = num_bytes % plain_chunk_bytes != 0;
  life_.go_on();
}

void SealedStream::write(Bytes plain) {
  begin_write();
  while (!plain.empty()) {
    const Bytes piece = plain.first(std::min(plain.size(), chunks_of_stream_piece * plain_chunk_bytes));
    sealed_.resize(sealer_.update_bytes(piece.size()));
    sealer_.update(piece, sealed_);
    if (!sealed_.empty()) append_(sealed_);
    plain = plain.subspan(piece.size());
  }
  life_.go_on();
}

void SealedStream::finish() {
  life_.begin_call();
  if (has_ended_) return;
  sealed_.resize(sealer_.finish_bytes());
  sealer_.finish(sealed_);
  append_(sealed_);
}

}  // namespace phalanx
