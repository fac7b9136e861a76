// Whether a folder is the same as when its files were sealed: a file that is gone from it is gone then, and not on a disk
// that is missing.
//
// A file that was renamed is gone too: it is there under another name. Otherwise a folder is the same where a file is still
// there, in it or below it, that was there when the missing one was last seen. A mount point is the same where the same
// file system is mounted there. Neither the number of a device, nor that of a file system, nor the inode of a folder says
// as much.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "files/container/trees/tree_record.hpp"
#include "files/system/list_tree.hpp"

namespace phalanx {

/// What else may be removed, since the user said so.
struct PruneAlso {
  bool emptied = false;     ///< what is gone from folders in which nothing shows that they are the same
  bool unrecorded = false;  ///< containers that no run is recorded to have made
  Names mounts{};           ///< what is gone from these mount points, whatever is mounted there now
};

/// Reads "emptied", "unrecorded" and "mount:NAME". `setting` is what the caller calls them. Throws Error (usage).
[[nodiscard]] PruneAlso read_prune_also(std::span<const std::string> words, const char* setting);

/// Why a container stays though its file is gone.
enum class KeptAs : unsigned char {
  not_kept,
  changed_mount,
  emptied,
  unrecorded,
  of_another_folder,
  of_another_record,
  under_another_name,  ///< its file has one, and was not sealed
  not_a_file,          ///< a link, a pipe or a device has the file's name now
  in_the_way,          ///< of what stands in its place now, a restore could make one of both
};

class FolderSameness {
 public:
  /// What a folder has now: its folders, and the files that this run found right or sealed, which `section` has as they are.
  /// All stay the caller's.
  struct Now {
    const std::vector<TreeFolder>& folders;
    const Names& found;
  };
  FolderSameness(const TreeSection& section, const Now& now, const PruneAlso& also);

  struct Finding {
    KeptAs kept = KeptAs::not_kept;
    std::string folder{};  ///< the mount point, or the folder of which nothing shows that it is the same
  };
  /// Of a file that is gone, as the section has it. One that is there under a name that is no older than its absence was
  /// renamed; other names may be those of snapshots.
  [[nodiscard]] Finding judge(const std::string& name, const RecordedFile& file) const;
  /// Of a folder that is gone, and was first missing in the run `missing`.
  [[nodiscard]] Finding judge(const std::string& name, std::uint64_t missing) const;

  /// The folder that stands at the name of this file, or the file at that of a folder that it was in; "" if there is none. A
  /// link there, or what else has no copy, is in nobody's way.
  [[nodiscard]] std::string replacement_of(const std::string& name) const;

  /// Whether what is mounted there is what the section says.
  [[nodiscard]] bool is_right_mount(const std::string& name, const LastingIdentity& recorded) const;

 private:
  [[nodiscard]] bool was_renamed(const RecordedFile& file) const;
  void add_witness(const std::string& name, std::uint64_t since);

  const TreeSection& section_;
  const Names& found_;
  const PruneAlso& also_;
  std::map<std::string, const TreeFolder*, std::less<>> folders_;
  std::map<std::string, std::uint64_t> found_identities_;        // of files whose birth is known: since which run they are
  std::map<std::string, std::uint64_t, std::less<>> witnesses_;  // of each folder the earliest run since which one is there
};

}  // namespace phalanx
