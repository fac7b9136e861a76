// This looks at a file that already has the name of a result, as far as it shows without a key.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "files/container/results/result_places.hpp"
#include "files/system/file_identity.hpp"

namespace phalanx {

/// Holds what an open file shows that has a container's header and a container's length. Nothing in it is authentic.
struct SeenContainer {
  std::uint64_t plain_bytes = 0;
  std::uint8_t binding_flags = 0;  ///< what it is bound to: BindingRecord::flags
};

/// Returns nothing where it is no container. Throws Error (runtime) where the file cannot be read.
[[nodiscard]] std::optional<SeenContainer> look_at_container(int descriptor, const std::string& name);
/// Does this for a file of so many bytes.
[[nodiscard]] std::optional<SeenContainer> look_at_container(int descriptor, const std::string& name,
                                                             std::uint64_t num_bytes);

/// Describes a regular file that was found.
struct FoundFile {
  struct stat status {};
  std::optional<SeenContainer> container{};

  [[nodiscard]] FileStamp stamp() const { return FileStamp(status); }
};

/// Knows whether results have the times that they were given, as their file systems keep these. Any number of threads may
/// use it.
class ResultTimes {
 public:
  /// Says whether a result has this time. An older result that was put back has another time, too.
  [[nodiscard]] bool has_time(const FoundFile& found, const timespec& modified, const ResultPlace& place);

  /// Returns the longest step of a file system that hides a part of a time, in nanoseconds, or 0 where none was met.
  [[nodiscard]] std::int64_t longest_step();

 private:
  [[nodiscard]] std::int64_t step_at(const ResultPlace& place, dev_t device);

  std::mutex mutex_;
  std::map<dev_t, std::int64_t> steps_;
  std::int64_t longest_step_ = 0;
};

/// Returns the file that is there, or nothing where the name is free. Throws Error: usage where it is no regular file,
/// runtime.
[[nodiscard]] std::optional<FoundFile> find_file(const ResultPlace& place);
/// Does this, too. Where the name is free, `free_in` becomes its folder, open for what is made there. Otherwise it becomes
/// nullptr, and where there is no such folder.
[[nodiscard]] std::optional<FoundFile> find_file(const ResultPlace& place, std::shared_ptr<const HeldFolder>& free_in);

}  // namespace phalanx
