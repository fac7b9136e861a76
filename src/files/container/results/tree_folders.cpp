#include "files/container/results/tree_folders.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "files/system/output/atomic_file.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
TreeFolders::TreeFolders(const TreeListing& files, const ResultFolder& to, const FolderCopying& copying)
    : to_(to), copying_(copying), has_root_(files.folders().size() == 1) {
  if (to_.folder == nullptr) return;
  for (const ListedFolder& from : files.folders()) {
    for (const TreeFolder& folder : from.folders) folders_.try_emplace(folder.name, Folder{.from = from.folder});
  }
}

TreeFolders::TreeFolders(std::shared_ptr<const RootedFolder> from, const ResultFolder& to, const FolderCopying& copying)
    : to_(to), copying_(copying), from_(std::move(from)) {
  if (!to_.is_new) return;
  remember_folder("");
  put_on_new("", to_.folder->open("", O_RDONLY | O_DIRECTORY).get());
}

void TreeFolders::make_all(const OnFailure& on_failure) {
  if (to_.folder == nullptr || !copying_.makes) return;
  for (const auto& [name, folder] : folders_) {
    try {
      if (!name.empty()) make_one(name);
      if (name.empty() && to_.is_new && has_root_) put_on_new("", to_.folder->open("", O_RDONLY | O_DIRECTORY).get());
    } catch (const Error& error) {
      on_failure(folder.from->path_of(name), error);
    }
  }
}

void TreeFolders::make_for(const std::string& name) {
  const std::lock_guard lock(mutex_);
  make_with_parents(parent_name_of(name));
}

void TreeFolders::make_with_parents(const std::string& name) {
  remember_folder(name);
  if (name.empty()) return;
  make_with_parents(parent_name_of(name));
  make_one(name);
}

void TreeFolders::remember(const std::string& name) {
  const std::lock_guard lock(mutex_);
  for (std::string folder = parent_name_of(name);; folder = parent_name_of(folder)) {
    remember_folder(folder);
    if (folder.empty()) return;
  }
}

void TreeFolders::remember_folder(const std::string& name) {
  if (copying_.keep != FolderKeeping::everything || folders_.contains(name)) return;
  try {
    const FileDescriptor original = from_->open(name, O_RDONLY | O_DIRECTORY);
    folders_.emplace(name, Folder{.from = from_, .seen = read_attributes(original.get())});
  } catch (const Error&) {
    // Opening the file in that folder says what is wrong.
  }
}

void TreeFolders::make_one(const std::string& name) {
  const FileDescriptor above = to_.folder->open(parent_name_of(name), O_PATH | O_DIRECTORY);
  const mode_t mode = copying_.keep == FolderKeeping::nothing ? all_rights : S_IRWXU;
  const bool is_new = mkdirat(above.get(), last_name_of(name).c_str(), mode) == 0;
  if (!is_new && errno != EEXIST) throw_system_error("create the folder", to_.folder->path_of(name));
  const FileDescriptor folder = to_.folder->open(name, O_RDONLY | O_DIRECTORY);
  if (!is_new) return;
  put_on_new(name, folder.get());
  sync_folder_of(to_.folder->path_of(name));
}

// If nothing is known of the original, the copy stays as it was made, for its owner only.
void TreeFolders::put_on_new(const std::string& name, int descriptor) {
  const auto found = folders_.find(name);
  if (found == folders_.end() || copying_.keep == FolderKeeping::nothing) return;
  const Folder& folder = found->second;
  if (copying_.keep == FolderKeeping::mode_and_time) return put_mode(folder, name, descriptor);
  if (!folder.seen) return;
  FileAttributes attributes = *folder.seen;
  attributes.mode |= S_IRWXU;
  static_cast<void>(put_attributes(descriptor, attributes));
}

void TreeFolders::put_mode(const Folder& folder, const std::string& name, int descriptor) const {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return;
  FileAttributes wanted = read_attributes(folder.from->open(name, O_RDONLY | O_DIRECTORY).get());
  wanted.mode |= S_IRWXU;
  const mode_t mode = (all_rights & ~process_umask()) | S_IRWXU;
  if ((status.st_mode & all_rights) == mode_within(mode, wanted, status.st_gid)) return;
  static_cast<void>(put_mode_within(descriptor, mode, wanted));
}

bool TreeFolders::is_durable(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return is_folder_durable(parent_name_of(name));
}

bool TreeFolders::is_folder_durable(const std::string& name) {
  if (name.empty()) return to_.is_durable;
  const auto [place, is_new] = durable_.try_emplace(name, false);
  if (is_new) place->second = sync_folder_of(to_.folder->path_of(name)) && is_folder_durable(parent_name_of(name));
  return place->second;
}

// The deepest folder comes first. Only the mode and the time of a folder itself are set, but a kill in between leaves less
// to do anew.
void TreeFolders::finish() {
  if (to_.folder == nullptr || copying_.keep == FolderKeeping::nothing || !copying_.makes) return;
  for (auto entry = folders_.rbegin(); entry != folders_.rend(); ++entry) {
    const auto& [name, folder] = *entry;
    if (name.empty() && !has_root_) continue;
    try {
      finish_one(folder, name);
    } catch (const Error&) {
      // The folder keeps its mode and time.
    }
  }
}

void TreeFolders::finish_one(const Folder& folder, const std::string& name) const {
  const FileDescriptor copy = to_.folder->open(name, O_RDONLY | O_DIRECTORY);
  if (folder.seen) {
    struct stat status {};
    const bool is_known = fstat(copy.get(), &status) == 0;
    if (is_known && is_before(folder.seen->modified, status.st_mtim)) {
      static_cast<void>(put_time(copy.get(), folder.seen->modified));
    }
    return;
  }
  if (copying_.keep_of_found && !name.empty()) put_mode(folder, name, copy.get());
  const FileDescriptor original = folder.from->open(name, O_RDONLY | O_DIRECTORY);
  static_cast<void>(put_time(copy.get(), read_attributes(original.get()).modified));
}

}  // namespace phalanx
