#include "engine/host/process_mark.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <phalanx/error.hpp>
#include <string_view>

namespace phalanx {
namespace {

using Generation = std::atomic<std::uint64_t>;  // 0: nobody has asked in this process yet

// A child inherits this: the highest number that an ancestor had.
Generation last_generation{0};

// Where the kernel clears no page, this has the number in the upper half, and the process in the lower.
Generation kept_generation{0};

void forget_generation() { kept_generation = 0; }

// A page that is zero in each child; nullptr where the kernel does not do that.
Generation* map_generation() {
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const page = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  if (madvise(page, page_bytes, MADV_WIPEONFORK) == 0) return new (page) Generation{0};
  munmap(page, page_bytes);
  return nullptr;
}

Generation* cleared_by_kernel() {
  static Generation* const page = [] {
    Generation* const mapped = map_generation();
    if (mapped == nullptr) pthread_atfork(nullptr, nullptr, forget_generation);
    return mapped;
  }();
  return page;
}

// Threads of a child may ask for the first time together: they get one number.
std::uint64_t begin_generation(Generation& current) {
  const std::uint64_t next = last_generation.fetch_add(1) + 1;
  std::uint64_t found = 0;
  return current.compare_exchange_strong(found, next) ? next : found;
}

std::uint64_t generation_by_number_of_process() {
  const auto process = static_cast<std::uint32_t>(getpid());
  std::uint64_t kept = kept_generation.load();
  while (kept == 0 || static_cast<std::uint32_t>(kept) != process) {
    const std::uint64_t next = (last_generation.fetch_add(1) + 1) << 32 | process;
    if (kept_generation.compare_exchange_strong(kept, next)) kept = next;
  }
  return kept >> 32;
}

}  // namespace

std::uint64_t process_generation() {
  Generation* const page = cleared_by_kernel();
  if (page == nullptr) [[unlikely]]
    return generation_by_number_of_process();
  const std::uint64_t current = page->load(std::memory_order_relaxed);
  return current != 0 ? current : begin_generation(*page);
}

void ProcessMark::fail_forked() {
  throw Error(ErrorCode::usage,
              "this was begun before this process was forked, and its parent goes on with it: begin another one here");
}

void CallerRuns::end_forked() noexcept {
  constexpr std::string_view line =
      "phalanx: a process that was forked within a callback came back from it: only its parent can, and it is ended\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  _exit(1);
}

}  // namespace phalanx
