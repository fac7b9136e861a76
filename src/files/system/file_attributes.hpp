// These are the attributes of a file besides its content: times, permissions, owner, extended attributes.
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
  std::string access_list{};  ///< access list of POSIX, as the system has it; empty: there is none
  /// Holds users' extended attributes: "user.comment", and its value.
  std::vector<std::pair<std::string, std::optional<std::string>>> named{};
};

/// Returns the attributes of an open file or folder. An attribute that the system does not tell is left out.
[[nodiscard]] FileAttributes read_attributes(int descriptor);
/// Does this for one whose status is known.
[[nodiscard]] FileAttributes read_attributes(int descriptor, const struct stat& status);

/// Returns mode, owner, group and access list of the file at `path`, where no symbolic link is followed. Returns nothing
/// where there is none.
[[nodiscard]] std::optional<FileAttributes> read_permissions(const std::string& path);

/// Returns these and the extended attributes. An attribute that may not be read has its name, and no value.
[[nodiscard]] std::optional<FileAttributes> read_attributes_at(const std::string& path);

/// Puts the permissions on another file or folder, which is open and ours: owner and group as far as the system allows, then
/// mode and access list. Nobody but its owner may do more with it than with the first. If the group is another, or there is
/// an access list and the owner is another, the group and others get only the rights of both. An access list that its folder
/// gave it is taken off. Returns false, with errno set, where the permissions cannot be set.
[[nodiscard]] bool put_permissions(int descriptor, const FileAttributes& attributes);

/// Sets the mode of another file, which is ours, but with no right that the attributes do not give. If their group is
/// another, or they have an access list, its group and others get less. An access list that its folder gave it is taken off.
/// A folder whose files get its group stays one. Returns false, with errno set, where that cannot be done.
[[nodiscard]] bool put_mode_within(int descriptor, mode_t mode, const FileAttributes& attributes);

/// These are all rights that a mode can give to anybody.
inline constexpr mode_t all_rights = S_IRWXU | S_IRWXG | S_IRWXO;

/// Returns the mode that put_mode_within gives a file of this group.
[[nodiscard]] mode_t mode_within(mode_t mode, const FileAttributes& attributes, gid_t group);

/// Returns these permissions, with no right that the limit does not give. If its group or its access list is another, the
/// group and others get less.
[[nodiscard]] FileAttributes within(FileAttributes attributes, const FileAttributes& limit);

/// Returns a mode whose group and others have only the rights of both, for a file of another group.
[[nodiscard]] mode_t narrowed(mode_t mode);

/// Puts the extended attributes alone, as far as the system allows.
void put_named(int descriptor, const FileAttributes& attributes);

/// Returns the names of the attributes that another file does not have with the same value.
[[nodiscard]] std::set<std::string> names_not_on(int descriptor, const FileAttributes& attributes);

/// Puts the permissions, then extended attributes as far as the system allows, and then the time. Returns false, with errno
/// set, where the permissions or the time cannot be set.
[[nodiscard]] bool put_attributes(int descriptor, const FileAttributes& attributes);

/// Sets the time of the content alone. Returns false, with errno set, where that cannot be done.
[[nodiscard]] bool put_time(int descriptor, const timespec& modified);

/// Returns the umask that files of this thread are made with now. It reads it and never changes it. If the system does not
/// say it, without /proc, it returns the one that leaves all to the owner.
[[nodiscard]] mode_t process_umask();

}  // namespace phalanx
