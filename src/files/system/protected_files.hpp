// A run protects the files that it needs itself: its IN, keys, lists, manifests and journals.
#pragma once

#include <sys/stat.h>

#include <map>
#include <string>

#include "files/system/file_identity.hpp"

namespace phalanx {

/// Knows them by device and inode, whatever other names they have. So none of them is ever written as OUT, taken up or
/// removed as a partial file, or migrated and deleted. Only regular files and disks are listed: nothing else can lose data.
class ProtectedFiles {
 public:
  /// The files of `also`, which stays the caller's, are needed too.
  explicit ProtectedFiles(const ProtectedFiles* also = nullptr) : also_(also) {}

  /// `what` names it in messages: "the key file k".
  void add(const struct stat& status, const std::string& what);
  void add_descriptor(int number, const std::string& what);
  /// Does nothing if there is no such file: opening it fails later.
  void add_path(const std::string& path, const std::string& what);

  /// Returns the name that the file has in messages, or "" if it is not needed.
  [[nodiscard]] std::string find(const struct stat& status) const;

  /// Throws Error (usage) if `name`, whose status this is, is one of them.
  void refuse(const struct stat& status, const std::string& name) const;

 private:
  const ProtectedFiles* also_;
  std::map<FileIdentity, std::string> files_;
};

}  // namespace phalanx
