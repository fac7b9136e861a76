#include "files/system/paths.hpp"

#include <fcntl.h>

#include <cerrno>
#include <phalanx/error.hpp>

namespace phalanx {

bool is_unfinished(const std::string& name) {
  return name.ends_with(partial_suffix) || name.ends_with(record_suffix) || name.ends_with(journal_suffix) ||
         name.ends_with(header_suffix) || name.ends_with(renewed_suffix);
}

std::string file_named(const std::string& path) { return require_named(path) == "-" ? "./-" : path; }

const std::string& require_named(const std::string& path) {
  if (path.empty()) throw Error(ErrorCode::usage, "the name of a file is empty: give one");
  return path;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::string parent_name_of(const std::string& name) {
  const std::string folder = folder_of(name);
  return folder.empty() ? "" : folder.substr(0, folder.size() - 1);
}

std::string last_name_of(const std::string& path) { return path.substr(folder_of(path).size()); }

FileDescriptor open_folder_of(const std::string& path) {
  const std::string folder = folder_of(path);
  return FileDescriptor(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// Some file systems have nothing to do for a folder and say EINVAL. The result says whether its names are durable then.
bool sync_folder(const FileDescriptor& folder, const std::string& path) {
  if (!folder.is_open()) return false;
  if (sync_whole(folder.get())) return true;
  if (errno == EINVAL || errno == ENOTSUP || errno == EROFS) return false;
  throw_system_error("make durable the folder of", path);
}

bool sync_folder_of(const std::string& path) { return sync_folder(open_folder_of(path), path); }

}  // namespace phalanx
