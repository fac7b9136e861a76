// A folder below which files are opened and removed, and out of which no name leads.
#pragma once

#include <functional>
#include <string>

#include "io/file_descriptor.hpp"
#include "io/file_identity.hpp"

namespace phalanx {

/// Names are relative to the folder. No symbolic link is followed on the way to a file, and none at its end: a list, or
/// somebody who puts a link in the place of a folder, cannot lead out of the tree.
class TreeFolder {
 public:
  /// Throws Error (usage) if `path` is no folder.
  explicit TreeFolder(const std::string& path);

  /// open(2) of a file or folder in it, "" for the folder itself. Throws Error: usage where a link is on the way, else
  /// runtime.
  [[nodiscard]] FileDescriptor open(const std::string& name, int flags) const;

  /// As remove_file, of a file in it.
  void remove(const std::string& name, const FileStamp& stamp, const std::function<void()>& check) const;

  /// The file's whole name, for messages.
  [[nodiscard]] std::string path_of(const std::string& name) const { return name.empty() ? path_ : path_ + '/' + name; }

 private:
  std::string path_;
  FileDescriptor folder_;
};

/// The name behind the last slash.
[[nodiscard]] std::string last_name_of(const std::string& path);

/// Removes `name` in the open folder, if it is still the regular file that `stamp` tells of, and makes that durable. Right
/// before, `check` throws if it should stay. `path` is for messages. Throws Error (runtime).
void remove_file(int folder, const std::string& name, const FileStamp& stamp, const std::function<void()>& check,
                 const std::string& path);

}  // namespace phalanx
