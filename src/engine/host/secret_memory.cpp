#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <mutex>
#include <phalanx/error.hpp>
#include <string>

#include "engine/host/host.hpp"
#include "engine/host/wiped_memory.hpp"

namespace phalanx {
namespace {

constexpr std::size_t smallest_piece = 64;
constexpr std::size_t largest_shared_piece = std::size_t{64} << 10;  // larger ones have pages of their own
constexpr std::size_t region_bytes = std::size_t{64} << 10;          // what is mapped at once for pieces of one size

[[noreturn]] void fail_no_memory(std::size_t num_bytes) {
  throw Error(ErrorCode::runtime, "no memory for " + std::to_string(num_bytes) + " bytes of secrets");
}

// Whole pages. They have no neighbours on the heap, which the advice would cover and outlive.
std::uint8_t* map_pages(std::size_t num_bytes) {
  void* memory = mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail_no_memory(num_bytes);
  madvise(memory, num_bytes, MADV_DONTDUMP);
  (void)mlock(memory, num_bytes);  // refused beyond RLIMIT_MEMLOCK: then the secret may be swapped out
  return static_cast<std::uint8_t*>(memory);
}

// Free pieces of the sizes 64, 128, ..., each size a list that is linked through the pieces' first bytes; else they are
// zero.
class SharedPages {
 public:
  std::uint8_t* take(std::size_t capacity) {
    const std::lock_guard lock(mutex_);
    std::uint8_t*& first = first_free_[list_of(capacity)];
    if (first == nullptr) first = new_region(capacity);
    std::uint8_t* piece = first;
    std::memcpy(&first, piece, link_bytes);
    std::memset(piece, 0, link_bytes);
    return piece;
  }
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }
  void give_back(std::uint8_t* piece, std::size_t capacity) noexcept {
    const std::lock_guard lock(mutex_);
    std::uint8_t*& first = first_free_[list_of(capacity)];
    std::memcpy(piece, &first, link_bytes);
    first = piece;
  }

 private:
  static constexpr std::size_t link_bytes = sizeof(std::uint8_t*);

  static std::size_t list_of(std::size_t capacity) { return static_cast<std::size_t>(std::countr_zero(capacity)); }

  // A region of pieces, linked in their order.
  static std::uint8_t* new_region(std::size_t capacity) {
    std::uint8_t* region = map_pages(region_bytes);
    for (std::size_t place = 0; place + capacity < region_bytes; place += capacity) {
      std::uint8_t* next = region + place + capacity;
      std::memcpy(region + place, &next, link_bytes);
    }
    return region;
  }

  std::mutex mutex_;
  std::uint8_t* first_free_[std::countr_zero(largest_shared_piece) + 1] = {};
};

SharedPages& shared_pages();

void lock_shared_pages() { shared_pages().lock(); }
void unlock_shared_pages() { shared_pages().unlock(); }

SharedPages& shared_pages() {
  static SharedPages& pages = *new SharedPages;  // never destroyed: secrets of other static objects are freed after it
  // A child that was forked while another thread held the lock would wait for ever.
  [[maybe_unused]] static const int registered = pthread_atfork(lock_shared_pages, unlock_shared_pages, unlock_shared_pages);
  return pages;
}

}  // namespace

SecretPiece allocate_secret_memory(std::size_t num_bytes) {
  if (num_bytes <= largest_shared_piece) {
    const std::size_t capacity = std::bit_ceil(num_bytes < smallest_piece ? smallest_piece : num_bytes);
    return {shared_pages().take(capacity), capacity};
  }
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t capacity = (num_bytes + page_bytes - 1) / page_bytes * page_bytes;
  if (capacity < num_bytes) fail_no_memory(num_bytes);
  return {map_pages(capacity), capacity};
}

void free_secret_memory(SecretPiece piece) noexcept {
  wipe_memory(piece.data, piece.capacity);
  if (piece.capacity <= largest_shared_piece) {
    shared_pages().give_back(piece.data, piece.capacity);
  } else {
    munmap(piece.data, piece.capacity);
  }
}

}  // namespace phalanx
