#include "files/system/file_clock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <phalanx/error.hpp>
#include <utility>

#include "files/system/paths.hpp"
#include "files/system/signals.hpp"

namespace phalanx {
namespace {

constexpr int most_names = 100;
constexpr int most_waits = 4;  // steps of two seconds take a second one
constexpr long nanoseconds = 1'000'000'000;

// Returns the last change of the content or of the inode.
timespec last_change(const FileStamp& stamp) { return std::max(stamp.modified, stamp.changed, is_before); }

timespec settled_at(timespec changed) {
  changed.tv_sec += settling_seconds;
  return changed;
}

// Returns zero where `from` is not before `to`.
timespec time_between(const timespec& from, const timespec& to) {
  if (!is_before(from, to)) return {};
  timespec between{.tv_sec = to.tv_sec - from.tv_sec, .tv_nsec = to.tv_nsec - from.tv_nsec};
  if (between.tv_nsec < 0) {
    --between.tv_sec;
    between.tv_nsec += nanoseconds;
  }
  return between;
}

// Sleeps for this time, and for a step of most clocks besides.
void sleep_for(timespec time) {
  constexpr long step = 20'000'000;
  time.tv_nsec += step;
  if (time.tv_nsec >= nanoseconds) {
    time.tv_nsec -= nanoseconds;
    ++time.tv_sec;
  }
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &time) == EINTR) continue;
}

[[noreturn]] void throw_no_time(const std::string& path) { throw_system_error("take the time of the file system of", path); }

// AT_STATX_FORCE_SYNC makes a server say what it stored, and not our kernel what it expects.
FileSystemTime time_of(const FileDescriptor& file, const std::string& path) {
  struct statx status {};
  constexpr unsigned wanted = STATX_MTIME | STATX_CTIME;
  const int result =
      call_again([&] { return ::statx(file.get(), "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, wanted, &status); });
  if (result != 0) throw_no_time(path);
  const timespec modified{.tv_sec = status.stx_mtime.tv_sec, .tv_nsec = status.stx_mtime.tv_nsec};
  const timespec changed{.tv_sec = status.stx_ctime.tv_sec, .tv_nsec = status.stx_ctime.tv_nsec};
  const auto [earliest, latest] = std::minmax(modified, changed, is_before);
  return {.earliest = earliest, .latest = latest};
}

bool lacks_files_without_names(int error) {
  return error == EOPNOTSUPP || error == EISDIR || error == ENOENT || error == EINVAL || error == ENOSYS;
}

// The name is like that of other unfinished files, so that one that a kill leaves is never taken for an old file.
FileDescriptor open_named_file(int folder, const std::string& path) {
  static std::atomic<unsigned> number{0};
  const SignalBlocker held_back;
  for (int i = 0; i < most_names; ++i) {
    const std::string name = ".phalanx-clock-" + std::to_string(getpid()) + '-' + std::to_string(number++) + partial_suffix;
    constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    FileDescriptor file(call_again([&] { return ::openat(folder, name.c_str(), flags, 0600); }));
    if (!file.is_open() && errno == EEXIST) continue;
    if (!file.is_open()) throw_no_time(path);
    struct stat made {
    }, found{};
    const bool is_ours = fstat(file.get(), &made) == 0 && fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
                         FileIdentity(found) == FileIdentity(made);
    if (is_ours) static_cast<void>(unlinkat(folder, name.c_str(), 0));
    return file;
  }
  errno = EEXIST;
  throw_no_time(path);
}

// Opens a file that has no name, or has none any more.
FileDescriptor open_nameless_file(int folder, const std::string& path) {
  FileDescriptor file(call_again([&] { return ::openat(folder, "./", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); }));
  if (file.is_open()) return file;
  if (!lacks_files_without_names(errno)) throw_no_time(path);
  return open_named_file(folder, path);
}

}  // namespace

// FAT has steps of two seconds, and its times are whole seconds.
void wait_until_settled(const timespec& modified) {
  timespec now{}, settled = modified;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0 || is_before(now, modified)) return;
  if (modified.tv_nsec == 0) settled.tv_sec += 2;
  if (modified.tv_nsec == 0 ? !is_before(now, settled) : time_between(modified, now).tv_sec != 0) return;
  constexpr long step = 20'000'000;
  if (modified.tv_nsec != 0 && time_between(modified, now).tv_nsec >= step) return;
  sleep_for(time_between(now, settled));
}

FileSystemTime file_system_time(int folder, const std::string& path) {
  return time_of(open_nameless_file(folder, path), path);
}

// The file is given a time that is a whole number of none of the steps. The part that is kept shows the step.
std::int64_t time_step_of(int folder, const std::string& path) {
  constexpr std::int64_t steps[] = {1, 100, 1000, 1'000'000, 10'000'000, nanoseconds, 2 * nanoseconds};
  constexpr timespec asked{.tv_sec = 1'000'000'001, .tv_nsec = nanoseconds - 1};
  const FileDescriptor file = open_nameless_file(folder, path);
  const timespec times[] = {asked, asked};
  struct stat status {};
  if (futimens(file.get(), times) != 0 || fstat(file.get(), &status) != 0) throw_no_time(path);
  for (const std::int64_t step : steps) {
    if (begin_of_step(asked, step) == begin_of_step(status.st_mtim, 1)) return step;
  }
  return 1;  // times are kept in another way: compare them exactly
}

std::int64_t begin_of_step(const timespec& time, std::int64_t step) {
  const std::int64_t all = std::int64_t{time.tv_sec} * nanoseconds + time.tv_nsec;
  return all - (all % step + step) % step;
}

void FileClocks::begin(dev_t device, const std::string& path, const std::function<FileDescriptor()>& open_folder) {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = clocks_.try_emplace(device);
  if (!is_new) return;
  Clock& clock = place->second;
  clock.path = path;
  try {
    clock.folder = open_folder();
    clock.time = file_system_time(clock.folder.get(), path);
  } catch (const Error& error) {
    clock.why_none = error.what();
  }
}

FileAge FileClocks::judge(const FileStamp& stamp, const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto found = clocks_.find(stamp.identity.device);
  if (found == clocks_.end()) return {.why_kept = path + " came to another file system, or from one, meanwhile"};
  if (!found->second.why_none.empty()) return {.why_kept = found->second.why_none};
  try {
    return judge_by(found->second, last_change(stamp), path);
  } catch (const Error& error) {
    return {.why_kept = error.what()};
  }
}

FileAge FileClocks::judge_by(Clock& clock, const timespec& changed, const std::string& path) {
  if (!is_before(clock.time.earliest, settled_at(changed))) return {};
  if (is_before(file_system_time(clock.folder.get(), clock.path).latest, changed)) {
    return {.why_kept = path + " has times in the future: touch it, and give the command again"};
  }
  if (!clock.has_young || is_before(clock.youngest, changed)) clock.youngest = changed;
  clock.has_young = true;
  return {.is_young = true, .why_kept = path + " was changed just now: give the command again when nothing writes to it"};
}

timespec FileClocks::time_to_wait() {
  timespec longest{};
  for (auto& [device, clock] : clocks_) {
    if (!clock.has_young) continue;
    try {
      clock.time = file_system_time(clock.folder.get(), clock.path);
    } catch (const Error& error) {
      clock.why_none = error.what();
      clock.has_young = false;
      continue;
    }
    const timespec time = time_between(clock.time.earliest, settled_at(clock.youngest));
    if (time.tv_sec <= settling_seconds) longest = std::max(longest, time, is_before);  // otherwise the clock was set back
  }
  return longest;
}

void FileClocks::wait() {
  const std::lock_guard lock(mutex_);
  for (int i = 0; i < most_waits; ++i) {
    const timespec time = time_to_wait();
    if (time.tv_sec == 0 && time.tv_nsec == 0) return;
    sleep_for(time);
  }
  static_cast<void>(time_to_wait());
}

}  // namespace phalanx
