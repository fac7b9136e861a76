#include "cli/kept_folders.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "io/atomic_file.hpp"

namespace phalanx {
namespace {

std::string parent_of(const std::string& name) {
  const std::string folder = folder_of(name);
  return folder.empty() ? "" : folder.substr(0, folder.size() - 1);
}

FileDescriptor open_new_folder(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool is_earlier(const timespec& left, const timespec& right) {
  return left.tv_sec != right.tv_sec ? left.tv_sec < right.tv_sec : left.tv_nsec < right.tv_nsec;
}

}  // namespace

KeptFolders::KeptFolders(const OldFiles& files, bool preserve) : files_(files), preserve_(preserve) {
  if (!preserve_ || !files_.made_to_tree()) return;
  remember_folder("");
  const auto found = folders_.find("");
  const FileDescriptor folder = open_new_folder(files_.trees().to);
  if (found == folders_.end() || !folder.is_open()) return;
  FileAttributes attributes = found->second;
  attributes.mode |= S_IRWXU;
  static_cast<void>(put_attributes(folder.get(), attributes));
}

void KeptFolders::make_for(const std::string& name) {
  if (!preserve_) return make_folders(folder_of(files_.out_path(name)));
  const std::lock_guard lock(mutex_);
  make(parent_of(name));
}

void KeptFolders::remember(const std::string& name) {
  if (!preserve_) return;
  const std::lock_guard lock(mutex_);
  for (std::string folder = parent_of(name);; folder = parent_of(folder)) {
    remember_folder(folder);
    if (folder.empty()) return;
  }
}

void KeptFolders::remember_folder(const std::string& folder) {
  if (folders_.contains(folder)) return;
  try {
    folders_[folder] = read_attributes(files_.folder().open(folder, O_RDONLY | O_DIRECTORY).get());
  } catch (const Error&) {
    // Opening the file in it says what is wrong.
  }
}

void KeptFolders::make(const std::string& folder) {
  remember_folder(folder);
  if (folder.empty()) return;
  make(parent_of(folder));
  const std::string path = files_.trees().to + '/' + folder;
  if (::mkdir(path.c_str(), S_IRWXU) != 0) {
    struct stat status {};
    if (errno == EEXIST && ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return;
    throw_system_error("create the folder", path);
  }
  const auto found = folders_.find(folder);
  const FileDescriptor made = open_new_folder(path);
  if (found != folders_.end() && made.is_open()) {
    FileAttributes attributes = found->second;
    attributes.mode |= S_IRWXU;
    static_cast<void>(put_attributes(made.get(), attributes));
  }
  sync_folder_of(path);
}

void KeptFolders::set_times() {
  for (const auto& [name, attributes] : folders_) {
    const FileDescriptor folder = open_new_folder(name.empty() ? files_.trees().to : files_.trees().to + '/' + name);
    struct stat status {};
    if (!folder.is_open() || fstat(folder.get(), &status) != 0) continue;
    if (is_earlier(attributes.modified, status.st_mtim)) static_cast<void>(put_time(folder.get(), attributes));
  }
}

}  // namespace phalanx
