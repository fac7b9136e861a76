// What already has the name of a result, as far as it shows without a key.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "files/container/results/result_places.hpp"
#include "files/system/file_identity.hpp"

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
};

/// Whether results have the times that they were given, as their file systems keep these. Any number of threads may use it.
class ResultTimes {
 public:
  /// Whether a result has this time: an older one that was put back is another, too.
  [[nodiscard]] bool has_time(const FoundFile& found, const timespec& modified, const ResultPlace& place);

  /// The longest step of a file system that hides a part of a time, in nanoseconds; 0 where none was met.
  [[nodiscard]] std::int64_t longest_step();

 private:
  [[nodiscard]] std::int64_t step_at(const ResultPlace& place, dev_t device);

  std::mutex mutex_;
  std::map<dev_t, std::int64_t> steps_;
  std::int64_t longest_step_ = 0;
};

/// What is there; nothing where the name is free. Throws Error: usage where it is no regular file, runtime.
[[nodiscard]] std::optional<FoundFile> find_file(const ResultPlace& place);

}  // namespace phalanx
