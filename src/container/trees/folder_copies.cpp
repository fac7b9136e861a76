#include "container/trees/folder_copies.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace phalanx {
FolderCopies::FolderCopies(const TreeListing& files, const ResultPlaces& places, const FolderCopying& copying)
    : to_(places.to()), copying_(copying), made_to_(places.made_to()) {
  if (to_ == nullptr) return;
  has_root_ = files.folders().size() == 1;
  for (const ListedFolder& from : files.folders()) {
    for (const TreeFolder& folder : from.folders) folders_.try_emplace(folder.name, from.folder);
  }
}

void FolderCopies::make(const OnFailure& on_failure) {
  if (!copying_.makes) return;
  for (const auto& [name, from] : folders_) {
    try {
      if (!name.empty()) make_one(name);
      if (name.empty() && made_to_ && has_root_) put_mode("", to_->open("", O_RDONLY | O_DIRECTORY).get());
    } catch (const Error& error) {
      on_failure(from->path_of(name), error);
    }
  }
}

void FolderCopies::make_one(const std::string& name) {
  const std::string parent = parent_name_of(name);
  const FileDescriptor above = to_->open(parent, O_PATH | O_DIRECTORY);
  const bool is_new = mkdirat(above.get(), last_name_of(name).c_str(), copying_.keep ? S_IRWXU : all_rights) == 0;
  if (!is_new && errno != EEXIST) throw_system_error("create the folder", to_->path_of(name));
  const FileDescriptor folder = to_->open(name, O_RDONLY | O_DIRECTORY);
  if (!is_new) return;
  put_mode(name, folder.get());
  sync_folder_of(to_->path_of(name));
}

void FolderCopies::put_mode(const std::string& name, int descriptor) const {
  struct stat status {};
  if (!copying_.keep || fstat(descriptor, &status) != 0) return;
  FileAttributes wanted = read_attributes(folders_.at(name)->open(name, O_RDONLY | O_DIRECTORY).get());
  wanted.mode |= S_IRWXU;
  const mode_t mode = (all_rights & ~process_umask()) | S_IRWXU;
  if ((status.st_mode & all_rights) == mode_within(mode, wanted, status.st_gid)) return;
  static_cast<void>(put_mode_within(descriptor, mode, wanted));
}

// The deepest first: only the mode and the time of a folder itself are set, but a kill in between leaves less to do anew.
void FolderCopies::finish() const {
  if (to_ == nullptr || !copying_.keep || !copying_.makes) return;
  for (auto entry = folders_.rbegin(); entry != folders_.rend(); ++entry) {
    const auto& [name, from] = *entry;
    if (name.empty() && !has_root_) continue;
    try {
      const FileDescriptor folder = to_->open(name, O_RDONLY | O_DIRECTORY);
      if (copying_.keep_of_found && !name.empty()) put_mode(name, folder.get());
      const FileDescriptor original = from->open(name, O_RDONLY | O_DIRECTORY);
      static_cast<void>(put_time(folder.get(), read_attributes(original.get()).modified));
    } catch (const Error&) {
      // It keeps what it has.
    }
  }
}

}  // namespace phalanx
