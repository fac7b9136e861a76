#include "files/system/protected_files.hpp"

#include <phalanx/error.hpp>

#include "files/system/file_descriptor.hpp"

namespace phalanx {

void ProtectedFiles::add(const struct stat& status, const std::string& what) {
  if (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode)) files_.try_emplace(FileIdentity(status), what);
}

void ProtectedFiles::add_descriptor(int number, const std::string& what) {
  struct stat status {};
  if (fstat(number, &status) == 0) add(status, what);
}

void ProtectedFiles::add_path(const std::string& path, const std::string& what) {
  if (const auto number = inherited_descriptor(path)) return add_descriptor(*number, what);
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) add(status, what);
}

std::string ProtectedFiles::find(const struct stat& status) const {
  const auto found = files_.find(FileIdentity(status));
  if (found != files_.end() && (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode))) return found->second;
  return also_ == nullptr ? "" : also_->find(status);
}

void ProtectedFiles::refuse(const struct stat& status, const std::string& name) const {
  const std::string what = find(status);
  if (what.empty()) return;
  throw Error(ErrorCode::usage, name + " is " + what + ", which this run needs: name another file");
}

}  // namespace phalanx
