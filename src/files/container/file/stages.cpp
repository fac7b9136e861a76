#include "files/container/file/stages.hpp"

#include <algorithm>
#include <exception>

namespace phalanx {

KeyPreload::KeyPreload(const ChunkedCipher& cipher, const PieceThreads& threads) {
  if (!threads.on_gpu) return;
  try {
    thread_ = std::thread([&cipher] { cipher.set_key_early(); });
  } catch (const std::exception&) {  // no thread, and no gain
  }
}
KeyPreload::~KeyPreload() {
  if (thread_.joinable()) thread_.join();
}

void SealStage::process(Piece& piece) {
  const Bytes plain = piece.content();
  const std::uint64_t first_chunk = piece.offset / plain_chunk_bytes;
  const std::size_t num_chunks =
      piece.last ? static_cast<std::size_t>(num_chunks_of_plain(plain.size())) : plain.size() / plain_chunk_bytes;
  const std::size_t sealed_bytes = plain.size() + num_chunks * chunk_tag_bytes;
  cipher_.seal(first_chunk, plain, piece.spare.first(sealed_bytes));
  piece.take_spare(first_chunk * sealed_chunk_bytes, sealed_bytes);
}

void OpenStage::process(Piece& piece) {
  const Bytes sealed = piece.content();
  if (piece.last && to_the_end_) static_cast<void>(plain_bytes_of_chunks(piece.offset + piece.size));
  const std::size_t num_chunks = (sealed.size() + sealed_chunk_bytes - 1) / sealed_chunk_bytes;
  const std::size_t plain_bytes = sealed.size() - std::min(sealed.size(), num_chunks * chunk_tag_bytes);
  const std::uint64_t chunk = piece.offset / sealed_chunk_bytes;
  cipher_.open(first_chunk_ + chunk, sealed, piece.spare.first(plain_bytes));
  piece.take_spare(chunk * plain_chunk_bytes, plain_bytes);
}

}  // namespace phalanx
