// What already has the name of a result, as far as it shows without a key.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>

#include "container/trees/result_places.hpp"
#include "files/file_identity.hpp"

namespace phalanx {

/// What an open file shows that has a container's header and a container's length. Nothing of it is authentic.
struct SeenContainer {
  std::uint64_t plain_bytes = 0;
  std::uint8_t binding_flags = 0;  ///< to what it is bound: BindingRecord::flags
};

/// Nothing where it is no container. Throws Error (runtime) where the file cannot be read.
[[nodiscard]] std::optional<SeenContainer> look_at_container(int descriptor, const std::string& name);

/// A regular file.
struct FoundFile {
  struct stat status {};
  std::optional<SeenContainer> container{};

  [[nodiscard]] FileStamp stamp() const { return FileStamp(status); }

  /// Whether it has this time, to the nanosecond: an older one that was put back is another, too.
  [[nodiscard]] bool has_time(const timespec& modified) const {
    return status.st_mtim.tv_sec == modified.tv_sec && status.st_mtim.tv_nsec == modified.tv_nsec;
  }
};

/// What is there; nothing where the name is free. Throws Error: usage where it is no regular file, runtime.
[[nodiscard]] std::optional<FoundFile> find_file(const ResultPlace& place);

}  // namespace phalanx
