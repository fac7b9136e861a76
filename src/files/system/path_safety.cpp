#include "files/system/path_safety.hpp"

#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <optional>
#include <vector>

#include "files/system/file_identity.hpp"
#include "files/system/paths.hpp"
#include "files/system/rooted_folder.hpp"

namespace phalanx {
namespace {

constexpr int most_links = 40;                   // as the kernel allows
constexpr long proc_magic = 0x9fa0;              // statfs(2)
constexpr mode_t by_others = S_IWGRP | S_IWOTH;  // an access list shows as the group's rights

FileDescriptor open_beside(int folder, const std::string& name, int flags) {
  return FileDescriptor(call_again([&] { return openat(folder, name.c_str(), flags | O_PATH | O_CLOEXEC); }));
}

bool look_at(const FileDescriptor& file, struct stat& status) { return file.is_open() && fstat(file.get(), &status) == 0; }

// Links of /proc are the kernel's own, and do not lead where their text says.
bool is_of_proc(const FileDescriptor& file) {
  struct statfs system {};
  return fstatfs(file.get(), &system) == 0 && system.f_type == proc_magic;
}

bool is_dev(const struct stat& folder) {
  struct stat dev {};
  return ::stat("/dev", &dev) == 0 && FileIdentity(dev) == FileIdentity(folder);
}

// Puts "a/b" before the other names as b, a: the next name is the last.
void put_before(std::vector<std::string>& names, const std::string& path) {
  for (std::size_t end = path.size(); end != std::string::npos;) {
    const std::size_t slash = end == 0 ? std::string::npos : path.rfind('/', end - 1);
    const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
    if (begin < end) names.push_back(path.substr(begin, end - begin));
    end = slash;
  }
}

// Walks over the folders of a path, and remembers whether others than their owners may write to any.
class PlaceWalk {
 public:
  explicit PlaceWalk(const std::string& name) : name_(name) {}

  // Goes to a folder from the root, or from the working folder. Returns false, with errno set, where it cannot.
  [[nodiscard]] bool go_to(const std::string& folder);

  [[nodiscard]] FileDescriptor open(const std::string& name) const { return open_beside(here_.get(), name, O_NOFOLLOW); }

  [[nodiscard]] bool is_anothers(const struct stat& found) const {
    if (found.st_uid == geteuid() || found.st_uid == status_.st_uid) return false;
    return is_shared_ || (begins_here_ && is_shared_above());
  }

  [[nodiscard]] bool is_here_shared() const { return (status_.st_mode & by_others) != 0 && !is_dev(status_); }

  // Returns the text of a symbolic link in the folder, if it may be followed, or nothing, with errno set, where it cannot be
  // read.
  [[nodiscard]] std::optional<std::string> follow(const FileDescriptor& link, const struct stat& status,
                                                  const std::string& path);

 private:
  [[nodiscard]] bool begin(const std::string& path);
  [[nodiscard]] bool step(const std::string& name, std::vector<std::string>& names);
  [[nodiscard]] bool enter(FileDescriptor folder);
  [[nodiscard]] static bool is_shared_above();

  const std::string& name_;
  FileDescriptor here_;
  struct stat status_ {};
  bool is_shared_ = false;
  bool begins_here_ = false;
  int num_links_ = 0;
};

bool PlaceWalk::enter(FileDescriptor folder) {
  if (!look_at(folder, status_)) return false;
  here_ = std::move(folder);
  if (is_here_shared()) is_shared_ = true;
  return true;
}

// The folders above the working folder belong to the path, as far as we may look.
bool PlaceWalk::is_shared_above() {
  struct stat below {
  }, above{};
  FileDescriptor folder = open_beside(AT_FDCWD, "..", O_DIRECTORY);
  while (look_at(folder, above) && FileIdentity(above) != FileIdentity(below)) {
    if ((above.st_mode & by_others) != 0 && !is_dev(above)) return true;
    below = above;
    folder = open_beside(folder.get(), "..", O_DIRECTORY);
  }
  return false;
}

bool PlaceWalk::begin(const std::string& path) {
  const bool is_absolute = path.starts_with('/');
  if (!is_absolute) begins_here_ = true;
  return enter(open_beside(AT_FDCWD, is_absolute ? "/" : ".", O_DIRECTORY));
}

std::optional<std::string> PlaceWalk::follow(const FileDescriptor& link, const struct stat& status,
                                             const std::string& path) {
  if (++num_links_ > most_links) throw Error(ErrorCode::usage, name_ + " is a loop of symbolic links: name a file");
  if (is_anothers(status)) {
    const std::string lies = path == name_ ? " is a symbolic link" : " leads over the symbolic link " + path;
    throw Error(ErrorCode::usage, name_ + lies + " that another user put there: name the file itself");
  }
  std::string text(PATH_MAX, '\0');
  const ssize_t size = readlinkat(link.get(), "", text.data(), text.size());
  if (size < 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(size));
  return text;
}

// Takes one name on the way, which is a folder or a symbolic link to one. The link's names come before those that are left.
bool PlaceWalk::step(const std::string& name, std::vector<std::string>& names) {
  FileDescriptor next = open_beside(here_.get(), name, O_DIRECTORY | O_NOFOLLOW);
  if (next.is_open()) return enter(std::move(next));
  if (errno != ENOTDIR && errno != ELOOP) return false;
  struct stat status {};
  next = open(name);
  if (!look_at(next, status)) return false;
  if (!S_ISLNK(status.st_mode) || is_of_proc(next)) return enter(open_beside(here_.get(), name, O_DIRECTORY));
  const std::optional<std::string> text = follow(next, status, name);
  if (!text) return false;
  put_before(names, *text);
  return !text->starts_with('/') || begin("/");
}

bool PlaceWalk::go_to(const std::string& folder) {
  const int num_links_before = num_links_;
  std::vector<std::string> names;
  put_before(names, folder);
  if (!begin(folder)) return false;
  while (!names.empty()) {
    const std::string name = std::move(names.back());
    names.pop_back();
    if (!step(name, names)) return false;
  }
  num_links_ = num_links_before;  // the next walk may go the same way
  return true;
}

// Looks at the end of the name. If that is a symbolic link, its text is returned.
std::optional<std::string> look_at_end(PlaceWalk& walk, NamedPlace& place, bool follows) {
  const std::string name = last_name_of(place.path);
  if (walk.go_to(folder_of(place.path))) place.file = walk.open(name.empty() ? "." : name);
  if (!look_at(place.file, place.status)) {
    place.error = errno;
    place.file = FileDescriptor();
    return std::nullopt;
  }
  place.is_anothers = walk.is_anothers(place.status);
  place.is_attacker_writable = place.is_anothers && walk.is_here_shared();
  if (!follows || !S_ISLNK(place.status.st_mode)) return std::nullopt;
  std::optional<std::string> text = walk.follow(place.file, place.status, place.path);
  if (!text) place.error = errno;
  place.file = FileDescriptor();
  return text;
}

bool is_missing(int error) { return error == ENOENT || error == ENOTDIR; }

// Without /proc, the file is opened by its name once more, if that is still the same file's.
FileDescriptor open_by_name(const NamedPlace& place, int flags) {
  FileDescriptor file = open_file(place.path, flags | O_NOFOLLOW);
  if (identity_of(file.get(), place.path) == FileIdentity(place.status)) return file;
  throw Error(ErrorCode::usage, place.path + " was replaced by another program meanwhile: give the command again");
}

}  // namespace

NamedPlace find_place(const std::string& path) {
  PlaceWalk walk(path);
  NamedPlace place{.path = path};
  while (!inherited_descriptor(place.path)) {
    const std::optional<std::string> text = look_at_end(walk, place, true);
    if (!text) break;
    place.path = text->starts_with('/') ? *text : folder_of(place.path) + *text;
  }
  return place;
}

NamedPlace find_made_up_place(const std::string& path) {
  PlaceWalk walk(path);
  NamedPlace place{.path = path};
  static_cast<void>(look_at_end(walk, place, false));
  return place;
}

std::string resolve_links(const std::string& path) {
  NamedPlace place = find_place(path);
  if (place.error == 0 || is_missing(place.error)) return std::move(place.path);
  errno = place.error;
  throw_system_error("open", path);
}

FileDescriptor open_place(const NamedPlace& place, int flags) {
  const std::string own = "/proc/self/fd/" + std::to_string(place.file.get());
  const int number = call_again([&] { return ::open(own.c_str(), flags | O_CLOEXEC | O_NOCTTY); });
  if (number >= 0) return FileDescriptor(number);
  struct stat proc {};
  if (errno == ENOENT && ::stat("/proc/self/fd", &proc) != 0) return open_by_name(place, flags);
  throw_system_error("open", place.path);
}

const char* kind_of_file(mode_t mode) {
  if (S_ISREG(mode)) return "a regular file";
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return S_ISBLK(mode) ? "a block device" : "a character device";
}

void require_regular(const struct stat& status, const std::string& path) {
  if (S_ISREG(status.st_mode)) return;
  const char* const why = S_ISLNK(status.st_mode) ? ", which is followed only where OUT is named: move it away"
                                                  : ", and only a file is written under this name: move it away";
  throw Error(ErrorCode::usage, path + " is " + kind_of_file(status.st_mode) + why);
}

}  // namespace phalanx
