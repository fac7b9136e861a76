#include "files/foreign/aead/aead_stages.hpp"

#include "engine/bytes/equal_bytes.hpp"

namespace phalanx {

void AeadOpening::process(Piece& piece) {
  WipedArray<16> hash;
  message_.crypt(Direction::decrypt, piece.offset, piece.buffer.first(piece.size), hash.bytes);
  if (are_equal(hash.bytes, hashes_.of(piece.number), 16)) return;
  wipe_memory(piece.buffer.data(), piece.size);
  throw Error(ErrorCode::runtime, name_ + " was changed while it was read: do it again when nobody writes to it");
}

void check_aead_length(const std::string& aead, std::uint64_t num_bytes) {
  if (num_bytes <= ComposedGcm::most_text_bytes) return;
  throw Error(ErrorCode::usage, "a message of " + aead + " has at most " + std::to_string(ComposedGcm::most_text_bytes) +
                                    " bytes (64 GiB less 32): cut it into several messages, or make a container of it");
}

void AeadSealing::process(Piece& piece) {
  check_aead_length(message_.name(), piece.offset + piece.size);
  SecretBytes hash(16);
  message_.crypt(Direction::encrypt, piece.offset, piece.buffer.first(piece.size), hash.data());
  const std::lock_guard lock(mutex_);
  waiting_.emplace(piece.number, Waiting{std::move(hash), piece.size});
  for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_; first = waiting_.erase(first)) {
    tag_.add(first->second.hash.data(), first->second.num_bytes);
    ++next_;
  }
}

}  // namespace phalanx
