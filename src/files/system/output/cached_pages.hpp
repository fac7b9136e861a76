// What the system keeps of a file in memory. A page there may hold what never came to the disk: where a write to the disk
// fails, the system tells it once, to whoever calls fsync next, and keeps the page as if all were well.
#pragma once

#include <cstdint>
#include <string_view>

namespace phalanx {

/// Where what is read of a file comes from.
enum class ContentSource : std::uint8_t {
  disk,    ///< nothing of it was in memory
  memory,  ///< its file system has no disk
  cache,   ///< unknown: the system did not let go of what it keeps of it in memory, or does not say
};

/// Whether the file system of an open file has no disk, as tmpfs and ramfs have none.
[[nodiscard]] bool lies_in_memory(int descriptor);

/// Why what is read need not be on a disk, in words that follow a file's name; "" where it is.
[[nodiscard]] std::string_view why_not_from_disk(ContentSource source);

/// Has the system drop what it keeps of an open file in memory, and looks whether it did, from `begin` to `end`. The
/// descriptor stays the caller's, and is readable. What was written and is not on the disk yet stays in memory: a caller
/// syncs the file before. One thread at a time.
[[nodiscard]] ContentSource drop_cached_pages(int descriptor, std::uint64_t begin = 0,
                                              std::uint64_t end = ~std::uint64_t{0});

/// Syncs a file that an earlier run wrote, and has what it holds read from the disk from then on, so that it is no more than
/// what came there. Where that sync fails, what failed is not on the disk, and so is not read.
ContentSource read_from_disk(int descriptor);

/// The same before something is believed that another run or another program may have written: what is not on the disk yet
/// comes there. `name` is for messages. Throws Error (runtime) where it cannot.
ContentSource sync_and_read_from_disk(int descriptor, std::string_view name);

/// The same. Throws Error (runtime) as well where what is read need not be on a disk.
void require_from_disk(int descriptor, std::string_view name);

}  // namespace phalanx
