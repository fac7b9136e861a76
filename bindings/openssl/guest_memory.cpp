#include "guest_memory.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <phalanx/error.hpp>

#include "engine/host/host.hpp"
#include "engine/host/wiped_memory.hpp"

namespace phalanx {
namespace {

constexpr std::size_t reserved_bytes = std::size_t{512} << 10;
constexpr std::size_t link_bytes = sizeof(std::uint8_t*), alignment = 64, smallest_piece = 64,
                      largest_piece = std::size_t{64} << 10;

// One piece of memory that is in no core dump and, where the process's limits allow, not swapped out. Pieces of the sizes 64,
// 128, ... are cut off its end, and come back into a list for each size, linked through their first bytes.
class Reserve {
 public:
  void map() {
    void* const memory = mmap(nullptr, reserved_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;  // then keys lie on the heap
    madvise(memory, reserved_bytes, MADV_DONTDUMP);
    (void)mlock(memory, reserved_bytes);
    begin_ = next_ = static_cast<std::uint8_t*>(memory);
  }
  [[nodiscard]] bool has(const std::uint8_t* piece) const {
    return begin_ != nullptr && piece >= begin_ && piece < begin_ + reserved_bytes;
  }
  // nullptr where all of it is in use.
  std::uint8_t* take(std::size_t capacity) {
    const std::lock_guard lock(mutex_);
    std::uint8_t*& first = first_free_[std::countr_zero(capacity)];
    if (first == nullptr) return cut(capacity);
    std::uint8_t* const piece = first;
    std::memcpy(&first, piece, link_bytes);
    std::memset(piece, 0, link_bytes);
    return piece;
  }
  void give_back(std::uint8_t* piece, std::size_t capacity) {
    const std::lock_guard lock(mutex_);
    std::uint8_t*& first = first_free_[std::countr_zero(capacity)];
    std::memcpy(piece, &first, link_bytes);
    first = piece;
  }
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::uint8_t* cut(std::size_t capacity) {
    if (begin_ == nullptr || capacity > reserved_bytes - static_cast<std::size_t>(next_ - begin_)) return nullptr;
    std::uint8_t* const piece = next_;
    next_ += capacity;
    return piece;
  }

  std::mutex mutex_;
  std::uint8_t* begin_ = nullptr;
  std::uint8_t* next_ = nullptr;
  std::uint8_t* first_free_[std::countr_zero(largest_piece) + 1] = {};
};

Reserve& reserve();
void lock_reserve() { reserve().lock(); }
void unlock_reserve() { reserve().unlock(); }

// Never destroyed: contexts may be freed at the very end of a process. A child that was forked while another thread held the
// lock would wait for ever.
Reserve& reserve() {
  static Reserve& the_reserve = *new Reserve;
  [[maybe_unused]] static const bool is_mapped = [] {
    the_reserve.map();
    pthread_atfork(lock_reserve, unlock_reserve, unlock_reserve);
    return true;
  }();
  return the_reserve;
}

}  // namespace

void reserve_key_memory() { reserve(); }

SecretPiece allocate_secret_memory(std::size_t num_bytes) {
  const std::size_t capacity = std::bit_ceil(num_bytes < smallest_piece ? smallest_piece : num_bytes);
  std::uint8_t* piece = capacity <= largest_piece ? reserve().take(capacity) : nullptr;
  if (piece == nullptr) {
    piece = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, capacity));
    if (piece == nullptr) throw Error(ErrorCode::runtime, "no memory for a key");
    std::memset(piece, 0, capacity);
  }
  return {piece, capacity};
}

void free_secret_memory(SecretPiece piece) noexcept {
  wipe_memory(piece.data, piece.capacity);
  if (reserve().has(piece.data)) {
    reserve().give_back(piece.data, piece.capacity);
  } else {
    std::free(piece.data);
  }
}

}  // namespace phalanx
