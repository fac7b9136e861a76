// What a file is besides its content: times, permissions, owner, extended attributes.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace phalanx {

struct FileAttributes {
  mode_t mode = 0600;  ///< permissions only: no set-user-id, set-group-id or sticky bit
  uid_t owner = 0;
  gid_t group = 0;
  timespec modified{};
  std::string access_list{};  ///< of POSIX, as the system has it; empty: there is none
  /// Extended attributes of users: "user.comment", and its value.
  std::vector<std::pair<std::string, std::optional<std::string>>> named{};
};

/// Those of an open file or folder. What the system does not tell is left out.
[[nodiscard]] FileAttributes read_attributes(int descriptor);

/// Mode, owner, group and access list of what has a name, no link followed; nothing where it has none.
[[nodiscard]] std::optional<FileAttributes> read_permissions(const std::string& path);

/// Those and the extended attributes. One that may not be read has its name, and no value.
[[nodiscard]] std::optional<FileAttributes> read_attributes_at(const std::string& path);

/// Puts them on another file or folder, which is open and ours: owner and group as far as the system lets us, then who may
/// do what. Nobody but its owner may do more with it than with the first: if the group is another, or there is an access
/// list and the owner is another, the group and others get only what both may; and a list that its folder gave it is taken
/// off. False, with errno set, where the permissions cannot be set.
[[nodiscard]] bool put_permissions(int descriptor, const FileAttributes& attributes);

/// Sets the mode of another file, which is ours, but with no right that the attributes do not give: where their group is
/// another, or they have an access list, its group and others get less, and a list that its folder gave it is taken off. A
/// folder whose files get its group stays one. False, with errno set, where that cannot be done.
[[nodiscard]] bool put_mode_within(int descriptor, mode_t mode, const FileAttributes& attributes);

/// All that a mode can give to anybody.
inline constexpr mode_t all_rights = S_IRWXU | S_IRWXG | S_IRWXO;

/// The mode that put_mode_within gives a file of this group.
[[nodiscard]] mode_t mode_within(mode_t mode, const FileAttributes& attributes, gid_t group);

/// These permissions, with no right that the limit does not give: where its group is another, or its access list is, the
/// group and others get less.
[[nodiscard]] FileAttributes within(FileAttributes attributes, const FileAttributes& limit);

/// A mode whose group and others have only what both had: for a file of another group.
[[nodiscard]] mode_t narrowed(mode_t mode);

/// The extended attributes alone, as far as the system lets us.
void put_named(int descriptor, const FileAttributes& attributes);

/// The names of those that another file does not have with the same value.
[[nodiscard]] std::set<std::string> names_not_on(int descriptor, const FileAttributes& attributes);

/// Those, and extended attributes as far as the system lets us, and then the time. False, with errno set, where the
/// permissions or the time cannot be set.
[[nodiscard]] bool put_attributes(int descriptor, const FileAttributes& attributes);

/// The time of the content alone. False, with errno set, where that cannot be done.
[[nodiscard]] bool put_time(int descriptor, const timespec& modified);

/// The umask that files of this thread are made with now, read and never changed. Where the system does not say, without
/// /proc, the one that leaves all to the owner.
[[nodiscard]] mode_t process_umask();

}  // namespace phalanx
