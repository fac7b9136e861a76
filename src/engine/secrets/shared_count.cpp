#include "engine/secrets/shared_count.hpp"

#include <sys/mman.h>

#include <new>
#include <phalanx/error.hpp>

namespace phalanx {

SharedCount::SharedCount(std::uint64_t initial) {
  void* const memory = mmap(nullptr, sizeof *count_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error(ErrorCode::runtime, "no memory to count a key's uses in");
  count_ = new (memory) std::atomic<std::uint64_t>(initial);
}

SharedCount::~SharedCount() { munmap(count_, sizeof *count_); }

bool SharedCount::add_up_to(std::uint64_t most, std::uint64_t more) {
  std::uint64_t before = count_->load();
  do {
    if (before > most || more > most - before) return false;
  } while (!count_->compare_exchange_weak(before, before + more));
  return true;
}

}  // namespace phalanx
