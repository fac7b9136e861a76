#include "io/container_stages.hpp"

#include <algorithm>

namespace phalanx {

MutableBytes StageBuffers::take(std::size_t size) {
  SecretBytes& buffer = buffers_[num_taken_++ % buffers_.size()];
  if (buffer.size() < size) buffer = SecretBytes(size);
  return MutableBytes(buffer).first(size);
}

void SealStage::process(Piece& piece) {
  const Bytes plain = piece.buffer.first(piece.size);
  const std::uint64_t first_chunk = piece.offset / plain_chunk_bytes;
  const std::size_t num_chunks = piece.last ? num_chunks_of_plain(plain.size()) : plain.size() / plain_chunk_bytes;
  const MutableBytes sealed = buffers_.take(plain.size() + num_chunks * chunk_tag_bytes);
  cipher_.seal(first_chunk, plain, sealed);
  if (listener_ != nullptr) listener_->piece_sealed(sealed);
  piece.buffer = sealed;
  piece.size = sealed.size();
}

void OpenStage::process(Piece& piece) {
  const Bytes sealed = piece.buffer.first(piece.size);
  if (piece.last && to_the_end_) static_cast<void>(plain_bytes_of_chunks(piece.offset + piece.size));
  const std::size_t num_chunks = (sealed.size() + sealed_chunk_bytes - 1) / sealed_chunk_bytes;
  const std::size_t tags_bytes = num_chunks * chunk_tag_bytes;
  const MutableBytes plain = buffers_.take(sealed.size() - std::min(sealed.size(), tags_bytes));
  cipher_.open(first_chunk_ + piece.offset / sealed_chunk_bytes, sealed, plain);
  piece.buffer = plain;
  piece.size = plain.size();
}

}  // namespace phalanx
