#include "files/system/folder_paths.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <phalanx/error.hpp>
#include <system_error>

#include "files/system/file_descriptor.hpp"
#include "files/system/paths.hpp"

namespace phalanx {

namespace fs = std::filesystem;

std::string real_path(const std::string& folder, bool must_exist) {
  std::error_code error;
  const fs::path path = must_exist ? fs::canonical(folder, error) : fs::weakly_canonical(fs::absolute(folder), error);
  if (error) throw Error(ErrorCode::runtime, "cannot use the folder " + folder + ": " + error.message());
  return path.has_filename() ? path.string() : path.parent_path().string();
}

// The walk goes upwards by descriptors, as far as we may look.
bool lies_in(const std::string& path, const FileIdentity& folder) {
  constexpr int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  fs::path there = path;
  FileDescriptor here(::open(there.c_str(), flags));
  while (!here.is_open() && errno == ENOENT && !there.empty()) {
    there = there.parent_path();
    here = FileDescriptor(::open(there.empty() ? "." : there.c_str(), flags));
  }
  FileIdentity below;
  for (struct stat status{}; here.is_open() && fstat(here.get(), &status) == 0;) {
    const FileIdentity identity(status);
    if (identity == folder) return true;
    if (identity == below) return false;  // the root
    below = identity;
    here = FileDescriptor(::openat(here.get(), "..", flags));
  }
  return false;
}

bool make_folders(const std::string& folder) {
  std::error_code error;
  const fs::path path = folder.size() > 1 && folder.ends_with('/') ? folder.substr(0, folder.size() - 1) : folder;
  if (path.empty() || fs::is_directory(path, error)) return true;
  const bool is_parent_durable = make_folders(path.parent_path().string());
  fs::create_directory(path, error);  // another thread may have been faster: no error
  if (error) throw Error(ErrorCode::runtime, "cannot create the folder " + folder + ": " + error.message());
  return sync_folder_of(path.string()) && is_parent_durable;
}

}  // namespace phalanx
