// This decides whether a folder is the same as when its files were sealed. Then a file that is missing in it is gone, and
// not on a disk that is missing.
//
// A file that was renamed is gone too: it is there under another name. Otherwise a folder is the same where another file is
// still there, in it or below it, that was there when the missing one was last seen. A mount point is the same where the
// same file system is mounted there. Neither the number of a device, nor that of a file system, nor the inode of a folder
// says as much.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "files/container/trees/tree_record.hpp"
#include "files/system/list_tree.hpp"

namespace phalanx {

/// Says what else may be removed, since the user said so.
struct PruneAlso {
  bool emptied = false;     ///< containers of files that are gone from folders that nothing shows to be the same
  bool unrecorded = false;  ///< containers that no run is recorded to have made
  Names mounts{};           ///< containers of files that are gone from these mount points, whatever is mounted there now
};

/// Reads "emptied", "unrecorded" and "mount:NAME". `setting` is the caller's name for them. Throws Error (usage).
[[nodiscard]] PruneAlso read_prune_also(std::span<const std::string> words, const char* setting);

/// Says why a container stays though its file is gone.
enum class KeptAs : unsigned char {
  not_kept,
  changed_mount,
  emptied,
  unrecorded,
  of_another_folder,
  of_another_record,
  under_another_name,  ///< its file has another name, and was not sealed
  not_a_file,          ///< a symbolic link, a pipe or a device has the file's name now
  in_the_way,          ///< a restore could not make both it and the file that stands in its place now
};

class FolderSameness {
 public:
  /// Describes the folder now: its folders, and the files that this run found right or sealed, which `section` has as they
  /// are. All stay the caller's.
  struct Now {
    const std::vector<TreeFolder>& folders;
    const Names& found;
  };
  FolderSameness(const TreeSection& section, const Now& now, const PruneAlso& also);

  struct Finding {
    KeptAs kept = KeptAs::not_kept;
    std::string folder{};  ///< the mount point, or the folder that nothing shows to be the same
  };
  /// Judges a file that is gone, as the section has it. It was renamed if it is there under a name that is no older than its
  /// absence; older names may be those of snapshots.
  [[nodiscard]] Finding judge(const std::string& name, const RecordedFile& file) const;
  /// Judges a folder that is gone, and was first missing in the run `missing`.
  [[nodiscard]] Finding judge(const std::string& name, std::uint64_t missing) const;

  /// Returns the folder that stands at the name of this file, or the file that stands at the name of a folder on its path,
  /// or "". A symbolic link, or another file that has no copy, is in nobody's way.
  [[nodiscard]] std::string replacement_of(const std::string& name) const;

  /// Says whether the recorded file system is mounted there.
  [[nodiscard]] bool is_right_mount(const std::string& name, const LastingIdentity& recorded) const;

 private:
  [[nodiscard]] bool was_renamed(const RecordedFile& file) const;
  void add_witness(const std::string& name, std::uint64_t since);

  const TreeSection& section_;
  const Names& found_;
  const PruneAlso& also_;
  std::map<std::string, const TreeFolder*, std::less<>> folders_;
  // By the identities of files whose birth is known: the run since which they are there.
  std::map<std::string, std::uint64_t> found_identities_;
  // By folders: the earliest run since which a file in it is there.
  std::map<std::string, std::uint64_t, std::less<>> witnesses_;
};

}  // namespace phalanx
