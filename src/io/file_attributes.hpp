// What a file is besides its content: times, permissions, owner, extended attributes.
#pragma once

#include <sys/stat.h>

#include <string>
#include <utility>
#include <vector>

namespace phalanx {

struct FileAttributes {
  mode_t mode = 0600;  ///< permissions only: no set-user-id, set-group-id or sticky bit
  uid_t owner = 0;
  gid_t group = 0;
  timespec modified{};
  bool has_access_list = false;                              ///< so that the mode shows less than who may do what
  std::vector<std::pair<std::string, std::string>> named{};  ///< extended attributes of users: "user.comment"
};

/// Those of an open file or folder. What the system does not tell is left out.
[[nodiscard]] FileAttributes read_attributes(int descriptor);

/// Puts them on another file or folder, which is open and ours: owner, group and extended attributes as far as the system
/// lets us, then the permissions, then the time. Nobody may do more with it than with the first: if the group is another,
/// or there was an access list, the group and others get only what both may. False, with errno set, where the permissions
/// or the time cannot be set.
[[nodiscard]] bool put_attributes(int descriptor, const FileAttributes& attributes);

/// The time alone.
[[nodiscard]] bool put_time(int descriptor, const FileAttributes& attributes);

}  // namespace phalanx
