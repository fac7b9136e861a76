#include "files/system/output/cached_pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <phalanx/error.hpp>
#include <string>
#include <vector>

#include "files/system/data_extent.hpp"
#include "files/system/file_descriptor.hpp"

namespace phalanx {
namespace {

constexpr long tmpfs_magic = 0x01021994, ramfs_magic = static_cast<long>(0x858458f6);  // statfs(2)
constexpr std::uint64_t window_bytes = std::uint64_t{1} << 30;                         // looked at in one call
constexpr int most_tries = 4;  // a page that another thread holds for an instant is not dropped

// Looks at a part of a file that begins with a page. Returns true as well where the system does not say.
bool any_in_memory(int descriptor, std::uint64_t begin, std::uint64_t num_bytes) {
  const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  void* const memory = mmap(nullptr, num_bytes, PROT_READ, MAP_SHARED, descriptor, static_cast<off_t>(begin));
  if (memory == MAP_FAILED) return errno != ENODEV;  // a file that has no mapping has no pages either
  std::vector<unsigned char> pages((num_bytes + page_bytes - 1) / page_bytes);
  const bool is_told = mincore(memory, num_bytes, pages.data()) == 0;
  munmap(memory, num_bytes);
  return !is_told || std::ranges::any_of(pages, [](unsigned char page) { return (page & 1U) != 0; });
}

// Windows in a hole are left out: somebody may have made the file longer than any part that is read.
bool any_in_windows(int descriptor, std::uint64_t begin, std::uint64_t end) {
  while (begin < end) {
    const std::uint64_t data = next_data_extent(descriptor, begin, end).begin;
    begin += (data - begin) / window_bytes * window_bytes;
    if (begin < end && any_in_memory(descriptor, begin, std::min(window_bytes, end - begin))) return true;
    begin += window_bytes;
  }
  return false;
}

}  // namespace

bool lies_in_memory(int descriptor) {
  struct statfs system {};
  return fstatfs(descriptor, &system) == 0 && (system.f_type == tmpfs_magic || system.f_type == ramfs_magic);
}

std::string_view why_not_from_disk(ContentSource source) {
  if (source == ContentSource::disk) return "";
  return source == ContentSource::memory ? "lies in memory, on a file system that has no disk"
                                         : "is not read from the disk: the system does not let go of what it has in memory";
}

ContentSource drop_cached_pages(int descriptor, std::uint64_t begin, std::uint64_t end) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return ContentSource::cache;
  if (lies_in_memory(descriptor)) return ContentSource::memory;
  begin -= begin % static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  end = std::min(end, static_cast<std::uint64_t>(status.st_size));
  const off_t position = lseek(descriptor, 0, SEEK_CUR);  // the search for holes moves the position
  bool any_stays = true;
  for (int i = 0; i < most_tries && any_stays; ++i) {
    // All of the file is dropped. For a part of it, pages that the system keeps together with their neighbours would stay.
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    any_stays = any_in_windows(descriptor, begin, end);
  }
  lseek(descriptor, position, SEEK_SET);
  return any_stays ? ContentSource::cache : ContentSource::disk;
}

ContentSource read_from_disk(int descriptor) {
  static_cast<void>(sync_data(descriptor));
  return drop_cached_pages(descriptor);
}

// A file system that is only read from, and a device, may have nothing to sync.
ContentSource sync_and_read_from_disk(int descriptor, std::string_view name) {
  if (!sync_data(descriptor) && errno != EINVAL && errno != EROFS) throw_system_error("write", name);
  return drop_cached_pages(descriptor);
}

void require_from_disk(int descriptor, std::string_view name) {
  const std::string_view why = why_not_from_disk(sync_and_read_from_disk(descriptor, name));
  if (!why.empty()) throw Error(ErrorCode::runtime, std::string(name) + ' ' + std::string(why), {.name = std::string(name)});
}

}  // namespace phalanx
