// This knows what runs over other folders made in the same folder of containers, as its record has it.
#pragma once

#include <string>
#include <vector>

#include "files/container/trees/tree_record.hpp"
#include "files/system/rooted_folder.hpp"

namespace phalanx {

/// Any number of threads may use it after `begin`.
class OtherFolders {
 public:
  /// Leaves out a folder that shows to be the folder of this run under another identity, restored or mounted anew. A file
  /// with the size and the time that the record has shows it. Throws Error (runtime).
  void begin(const TreeRecord& record, const RootedFolder& from, const LastingIdentity& own);

  /// Returns the path of the other folder that has the file of this container, by its name, or "" where there is none.
  [[nodiscard]] std::string owner_of(const std::string& file) const;

 private:
  struct Folder {
    std::string path;
    Names files;
  };
  std::vector<Folder> folders_;
};

}  // namespace phalanx
