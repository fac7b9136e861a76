#include "migration/trees/folder_mirror.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "files/output/atomic_file.hpp"

namespace phalanx {
FolderMirror::FolderMirror(const SourceTree& files, bool preserve)
    : files_(files), to_(files.trees().to), preserve_(preserve) {
  if (!preserve_ || !files_.made_to_tree()) return;
  remember_folder("");
  put_attributes_of("");
}

void FolderMirror::put_attributes_of(const std::string& folder) const {
  const auto found = folders_.find(folder);
  if (found == folders_.end()) return;
  FileAttributes attributes = found->second;
  attributes.mode |= S_IRWXU;
  try {
    static_cast<void>(put_attributes(to_.open(folder, O_RDONLY | O_DIRECTORY).get(), attributes));
  } catch (const Error&) {
    // It stays as it was made, for its owner only.
  }
}

void FolderMirror::make_for(const std::string& name) {
  const std::lock_guard lock(mutex_);
  make(parent_name_of(name));
}

void FolderMirror::remember(const std::string& name) {
  if (!preserve_) return;
  const std::lock_guard lock(mutex_);
  for (std::string folder = parent_name_of(name);; folder = parent_name_of(folder)) {
    remember_folder(folder);
    if (folder.empty()) return;
  }
}

void FolderMirror::remember_folder(const std::string& folder) {
  if (folders_.contains(folder)) return;
  try {
    folders_[folder] = read_attributes(files_.folder().open(folder, O_RDONLY | O_DIRECTORY).get());
  } catch (const Error&) {
    // Opening the file in it says what is wrong.
  }
}

// Each beneath the one before, so that a link in the place of a folder leads nowhere.
void FolderMirror::make(const std::string& folder) {
  if (preserve_) remember_folder(folder);
  if (folder.empty()) return;
  const std::string parent = parent_name_of(folder);
  make(parent);
  const FileDescriptor opened = to_.open(parent, O_PATH | O_DIRECTORY);
  if (mkdirat(opened.get(), last_name_of(folder).c_str(), preserve_ ? S_IRWXU : all_rights) != 0) {
    if (errno != EEXIST) throw_system_error("create the folder", to_.path_of(folder));
    static_cast<void>(to_.open(folder, O_PATH | O_DIRECTORY));
    return;
  }
  put_attributes_of(folder);
  sync_folder_of(to_.path_of(folder));
}

bool FolderMirror::is_durable(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return is_folder_durable(parent_name_of(name));
}

bool FolderMirror::is_folder_durable(const std::string& folder) {
  if (folder.empty()) return files_.is_to_tree_durable();
  const auto [place, is_new] = durable_.try_emplace(folder, false);
  if (is_new) place->second = sync_folder_of(to_.path_of(folder)) && is_folder_durable(parent_name_of(folder));
  return place->second;
}

void FolderMirror::set_times() {
  for (const auto& [name, attributes] : folders_) {
    try {
      const FileDescriptor folder = to_.open(name, O_RDONLY | O_DIRECTORY);
      struct stat status {};
      if (fstat(folder.get(), &status) != 0) continue;
      if (is_before(attributes.modified, status.st_mtim)) static_cast<void>(put_time(folder.get(), attributes.modified));
    } catch (const Error&) {
      // It keeps the time that it has.
    }
  }
}

}  // namespace phalanx
