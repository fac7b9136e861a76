#include "engine/secrets/secret_bytes.hpp"

#include <algorithm>
#include <utility>

namespace phalanx {

SecretBytes::SecretBytes(std::size_t size) : size_(size) {
  if (size != 0) piece_ = allocate_secret_memory(size);
}

SecretBytes::SecretBytes(Bytes bytes) : SecretBytes(bytes.size()) { std::copy(bytes.begin(), bytes.end(), piece_.data); }

SecretBytes::~SecretBytes() { release(); }

SecretBytes::SecretBytes(SecretBytes&& other) noexcept
    : piece_(std::exchange(other.piece_, {})), size_(std::exchange(other.size_, 0)) {}

SecretBytes& SecretBytes::operator=(SecretBytes&& other) noexcept {
  if (this != &other) {
    release();
    piece_ = std::exchange(other.piece_, {});
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

void SecretBytes::shrink(std::size_t new_size) {
  if (new_size >= size_) return;
  wipe_memory(piece_.data + new_size, size_ - new_size);
  size_ = new_size;
}

void SecretBytes::release() noexcept {
  if (piece_.data != nullptr) free_secret_memory(piece_);
}

}  // namespace phalanx
