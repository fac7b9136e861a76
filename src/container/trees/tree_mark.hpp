// The file .phalanx-tree in a folder of containers, which says of which folder that is the copy: before anything is removed
// because a file is gone, it must be this folder that it is gone from, and not the empty place where a disk is missing.
#pragma once

#include <optional>
#include <string>

#include "container/file/many_files.hpp"
#include "files/rooted_folder.hpp"

namespace phalanx {

class TreeMark {
 public:
  /// That of a folder and of what is mounted in it, now. Throws Error (runtime).
  explicit TreeMark(const FolderOfMany& from);

  /// Why what is gone from this folder is not removed from that one: its mark is of another folder, or of one in which more
  /// was mounted; or it has none. "" if it may be. Throws Error: usage where what has the mark's name is none, runtime.
  [[nodiscard]] std::string why_not(const RootedFolder& to) const;

  /// Writes it, where there is none yet, or `renews`. Throws Error.
  void write(const RootedFolder& to, bool renews) const;

 private:
  [[nodiscard]] static std::optional<std::string> read(const RootedFolder& to);

  std::string text_;
};

}  // namespace phalanx
