// The system keeps pages of a file in memory. A page there may hold bytes that never came to the disk. If a write to the
// disk fails, the system reports it once, to the next caller of fsync, and keeps the page as if all were well.
#pragma once

#include <cstdint>
#include <string_view>

namespace phalanx {

/// Says where the bytes that are read of a file come from.
enum class ContentSource : std::uint8_t {
  disk,    ///< no byte of it was in memory
  memory,  ///< its file system has no disk
  cache,   ///< unknown: the system did not drop its pages, or does not say
};

/// Says whether the file system of an open file has no disk, as tmpfs and ramfs have none.
[[nodiscard]] bool lies_in_memory(int descriptor);

/// Says why the bytes that are read need not be on a disk, in words that follow a file's name, or "" where they are.
[[nodiscard]] std::string_view why_not_from_disk(ContentSource source);

/// Makes the system drop its pages of an open file, and looks whether it did, from `begin` to `end`. The descriptor stays
/// the caller's, and is readable. Pages that are not on the disk yet stay in memory: a caller syncs the file before. One
/// thread at a time may call it.
[[nodiscard]] ContentSource drop_cached_pages(int descriptor, std::uint64_t begin = 0,
                                              std::uint64_t end = ~std::uint64_t{0});

/// Syncs a file that an earlier run wrote, and has it read from the disk from then on, so that only bytes that came there
/// are read. If that sync fails, the lost bytes are not on the disk, and so are not read.
ContentSource read_from_disk(int descriptor);

/// Does this for a file that another run or another program may have written, and that is to be trusted. Bytes that are not
/// on the disk yet are written there. `name` is for messages. Throws Error (runtime) where they cannot be.
ContentSource sync_and_read_from_disk(int descriptor, std::string_view name);

/// Does this too, and throws Error (runtime) as well where the bytes that are read need not be on a disk.
void require_from_disk(int descriptor, std::string_view name);

}  // namespace phalanx
