// A file system stamps its files by its clock. The clock says how old a file is, and whether its next save shows in its
// times.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "files/system/file_descriptor.hpp"
#include "files/system/file_identity.hpp"

namespace phalanx {

/// File systems count time in steps: of a few milliseconds, of a second, on FAT of two. A file that is saved twice within a
/// step has the same times. A file that is older than this when it is read gets other times with the next save.
inline constexpr int settling_seconds = 3;

/// This is the time that a file would be stamped with. Its two times may be counted in steps of different length.
struct FileSystemTime {
  timespec earliest{};
  timespec latest{};
};

/// Returns the time of the file system of an open folder, now. It is taken from a file that is made there for that: network
/// file systems have clocks of their own. The file has no name where that is possible. Otherwise its name is removed at
/// once, and a killed run may leave it. Throws Error (runtime) where no file can be made. `path` is the folder's, for
/// messages.
[[nodiscard]] FileSystemTime file_system_time(int folder, const std::string& path);

/// Returns the step, in nanoseconds, in which the file system of an open folder keeps the times that files are given. It is
/// 1 where it keeps them whole, and 10^9 where it keeps seconds. It is taken from a file as above. Throws as
/// file_system_time.
[[nodiscard]] std::int64_t time_step_of(int folder, const std::string& path);

/// Returns the time, in nanoseconds of the epoch, at which its step begins.
[[nodiscard]] std::int64_t begin_of_step(const timespec& time, std::int64_t step);

/// Waits until a file that was modified then gets another time by its next save, where this machine's clock stamps it. It
/// takes a few milliseconds at most, or two seconds where its time is whole seconds and so new. A caller that reads the file
/// from then on may take the time for that of its content.
void wait_until_settled(const timespec& modified);

/// Says whether the next save of a file shows in its times.
struct FileAge {
  bool is_young = false;   ///< not yet, but soon
  std::string why_kept{};  ///< why it may not be removed after it was read; "" where a save shows
};

/// Keeps the clocks of the file systems that a run reads from. Any number of threads may use them.
class FileClocks {
 public:
  /// Takes the time of a device at the first call for it, before a file on it is opened to be read. The folder is one on it.
  /// If no time can be taken, `judge` says so.
  void begin(dev_t device, const std::string& path, const std::function<FileDescriptor()>& open_folder);

  /// Judges a file by the time that was taken in the beginning, or by `wait`. `stamp` is what the file had when it was
  /// opened since, and `path` is for messages.
  [[nodiscard]] FileAge judge(const FileStamp& stamp, const std::string& path);

  /// Waits until all files that were young are settled, and takes the times anew: then they may be opened once more. A clock
  /// that does not go on leaves them young.
  void wait();

 private:
  struct Clock {
    std::string path{};
    FileDescriptor folder{};
    FileSystemTime time{};
    timespec youngest{};  // the latest time of the young files
    bool has_young = false;
    std::string why_none{};
  };

  [[nodiscard]] FileAge judge_by(Clock& clock, const timespec& changed, const std::string& path);
  [[nodiscard]] timespec time_to_wait();

  std::mutex mutex_;
  std::map<dev_t, Clock> clocks_;
};

}  // namespace phalanx
