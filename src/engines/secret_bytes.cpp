#include "engines/secret_bytes.hpp"

#include <string.h>  // explicit_bzero is not in <cstring>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace phalanx {

SecretBytes::SecretBytes(std::size_t size) : size_(size) {
  if (size == 0) return;
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  mapped_bytes_ = (size + page_bytes - 1) / page_bytes * page_bytes;
  // Pages of its own: the advice below would else cover a neighbour on the heap and outlive the memory.
  void* memory = mapped_bytes_ < size
                     ? MAP_FAILED
                     : mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorCode::runtime, "no memory for " + std::to_string(size) + " bytes of secrets");
  }
  data_ = static_cast<std::uint8_t*>(memory);
  madvise(memory, mapped_bytes_, MADV_DONTDUMP);
  (void)mlock(memory, mapped_bytes_);  // refused beyond RLIMIT_MEMLOCK: then the secret may be swapped out
}

SecretBytes::SecretBytes(Bytes bytes) : SecretBytes(bytes.size()) {
  if (!bytes.empty()) std::memcpy(data_, bytes.data(), bytes.size());
}

SecretBytes::~SecretBytes() { release(); }

SecretBytes::SecretBytes(SecretBytes&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)) {}

SecretBytes& SecretBytes::operator=(SecretBytes&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    mapped_bytes_ = std::exchange(other.mapped_bytes_, 0);
  }
  return *this;
}

void SecretBytes::shrink(std::size_t new_size) {
  if (new_size >= size_) return;
  wipe_memory(data_ + new_size, size_ - new_size);
  size_ = new_size;
}

void SecretBytes::release() noexcept {
  if (data_ == nullptr) return;
  wipe_memory(data_, mapped_bytes_);
  munmap(data_, mapped_bytes_);
}

void wipe_memory(void* memory, std::size_t size) { explicit_bzero(memory, size); }

}  // namespace phalanx
