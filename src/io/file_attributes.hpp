// What a file is besides its content: times, permissions, owner, extended attributes.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace phalanx {

struct FileAttributes {
  mode_t mode = 0600;  ///< permissions only: no set-user-id, set-group-id or sticky bit
  uid_t owner = 0;
  gid_t group = 0;
  timespec modified{};
  std::string access_list{};                                 ///< of POSIX, as the system has it; empty: there is none
  std::vector<std::pair<std::string, std::string>> named{};  ///< extended attributes of users: "user.comment"
};

/// Those of an open file or folder. What the system does not tell is left out.
[[nodiscard]] FileAttributes read_attributes(int descriptor);

/// Mode, owner, group and access list of what has a name, no link followed; nothing where it has none.
[[nodiscard]] std::optional<FileAttributes> read_permissions(const std::string& path);

/// Puts them on another file or folder, which is open and ours: owner and group as far as the system lets us, then who may
/// do what. Nobody but its owner may do more with it than with the first: if the group is another, or there is an access
/// list and the owner is another, the group and others get only what both may; and a list that its folder gave it is taken
/// off. False, with errno set, where the permissions cannot be set.
[[nodiscard]] bool put_permissions(int descriptor, const FileAttributes& attributes);

/// Those, and extended attributes as far as the system lets us, and then the time. False, with errno set, where the
/// permissions or the time cannot be set.
[[nodiscard]] bool put_attributes(int descriptor, const FileAttributes& attributes);

/// The time alone.
[[nodiscard]] bool put_time(int descriptor, const FileAttributes& attributes);

}  // namespace phalanx
