#include "files/system/output/output_mapping.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <phalanx/error.hpp>

#include "engine/threads/thread_pool.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/output/cached_pages.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_mappings = 64;
constexpr std::uintptr_t page_bytes = 4096;

// Fewer writers at once are faster with write(2): it takes a page at once, where a mapping faults for each
// (docs/notes/speed_of_files.md).
constexpr std::size_t fewest_writers = 4;

// The handler touches these members: they are lock-free, and never destroyed. On riscv64 a bool would not be.
struct KnownMapping {
  std::atomic<int> taken{0};
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<int> failed{0};
};
constinit std::array<KnownMapping, most_mappings> known_mappings{};
std::atomic<bool> is_allowed{false};
std::atomic<std::size_t> num_writers_together{0};

}  // namespace

bool replace_lost_page(void* address) noexcept {
  auto* const place = static_cast<std::uint8_t*>(address);
  const auto number = reinterpret_cast<std::uintptr_t>(place);
  for (KnownMapping& mapping : known_mappings) {
    if (number < mapping.begin.load() || number >= mapping.end.load()) continue;
    std::uint8_t* const page = place - number % page_bytes;
    if (mmap(page, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) break;
    mapping.failed.store(1);
    return true;
  }
  return false;
}

void allow_output_mappings() { is_allowed = sysconf(_SC_PAGESIZE) == static_cast<long>(page_bytes); }

void expect_writers(std::size_t num_writers) { num_writers_together = num_writers; }

std::unique_ptr<OutputMapping> OutputMapping::make(int file, std::uint64_t num_bytes) {
  const std::size_t num_writers = std::max(num_writers_together.load(), usable_processors());
  if (!is_allowed || num_bytes == 0 || num_writers < fewest_writers || !lies_in_memory(file)) return nullptr;
  std::size_t place = 0;
  while (place < most_mappings && known_mappings[place].taken.exchange(1) != 0) ++place;
  if (place == most_mappings) return nullptr;
  void* const memory = mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    known_mappings[place].taken = 0;
    return nullptr;
  }
  return std::unique_ptr<OutputMapping>(new OutputMapping(static_cast<std::uint8_t*>(memory), num_bytes, place));
}

OutputMapping::OutputMapping(std::uint8_t* memory, std::uint64_t num_bytes, std::size_t place)
    : memory_(memory), num_bytes_(num_bytes), place_(place) {
  KnownMapping& known = known_mappings[place];
  known.failed = 0;
  known.begin = reinterpret_cast<std::uintptr_t>(memory);
  known.end = reinterpret_cast<std::uintptr_t>(memory) + num_bytes;
}

OutputMapping::~OutputMapping() {
  KnownMapping& known = known_mappings[place_];
  known.begin = known.end = 0;
  munmap(memory_, num_bytes_);
  known.taken = 0;
}

void OutputMapping::write(Bytes in, std::uint64_t position, const std::string& name) {
  // All of a piece's pages are populated at once, instead of a fault for each. A page that the file cannot give shows below.
  std::uint8_t* const to = memory_ + position;
  std::uint8_t* const first_page = to - reinterpret_cast<std::uintptr_t>(to) % page_bytes;
  madvise(first_page, static_cast<std::size_t>(to + in.size() - first_page), MADV_POPULATE_WRITE);
  std::memcpy(to, in.data(), in.size());
  // The pages are the file's. All threads together take them out of the mapping faster than the end of the mapping would.
  madvise(first_page, static_cast<std::size_t>(to + in.size() - first_page), MADV_DONTNEED);
  if (known_mappings[place_].failed.load() == 0) return;
  throw Error(ErrorCode::runtime, "cannot write " + name + ": another program made it shorter, or the disk is full");
}

void write_by(OutputMapping* mapping, int file, Bytes in, std::uint64_t position, const std::string& name) {
  if (mapping != nullptr && position + in.size() <= mapping->num_bytes()) return mapping->write(in, position, name);
  write_at(file, in, position, name);
}

}  // namespace phalanx
