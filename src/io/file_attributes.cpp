#include "io/file_attributes.hpp"

#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace phalanx {
namespace {

constexpr mode_t group_bits = 070, other_bits = 007;
constexpr const char* access_list_name = "system.posix_acl_access";
constexpr std::size_t most_attribute_bytes = std::size_t{1} << 16;  // of a value, and of all names: as the kernel has it

std::vector<std::pair<std::string, std::string>> read_named(int descriptor) {
  std::vector<std::pair<std::string, std::string>> found;
  std::string names(most_attribute_bytes, '\0'), value(most_attribute_bytes, '\0');
  const ssize_t size = flistxattr(descriptor, names.data(), names.size());
  const std::size_t end = size > 0 ? static_cast<std::size_t>(size) : 0;
  for (std::size_t begin = 0; begin < end; begin += std::strlen(names.c_str() + begin) + 1) {
    const std::string name = names.c_str() + begin;
    // Others are the system's, and say who may do what on this one; our own are about this very file (in_place_mark.hpp).
    if (!name.starts_with("user.") || name.starts_with("user.phalanx.")) continue;
    const ssize_t value_size = fgetxattr(descriptor, name.c_str(), value.data(), value.size());
    if (value_size >= 0) found.emplace_back(name, value.substr(0, static_cast<std::size_t>(value_size)));
  }
  return found;
}

template <class Read>
std::string read_access_list(Read read) {
  std::string list(most_attribute_bytes, '\0');
  const ssize_t size = read(list.data(), list.size());
  list.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return list;
}

// A folder may give new files a list of its own.
bool remove_access_list(int descriptor) {
  return fremovexattr(descriptor, access_list_name) == 0 || errno == ENODATA || errno == EOPNOTSUPP;
}

// Those of another group, and others: what the group's members might do here who are others there, or the other way round.
mode_t narrowed(mode_t mode) {
  const mode_t group = (mode & group_bits) >> 3, both = group & mode & other_bits;
  return (mode & ~(group_bits | other_bits)) | both << 3 | both;
}

}  // namespace

FileAttributes read_attributes(int descriptor) {
  FileAttributes attributes;
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return attributes;
  attributes.mode = status.st_mode & 0777;
  // In a sticky folder each removes his own files only: without that bit, nobody but the owner may remove any.
  if (S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0) attributes.mode &= ~(S_IWGRP | S_IWOTH);
  attributes.owner = status.st_uid;
  attributes.group = status.st_gid;
  attributes.modified = status.st_mtim;
  attributes.access_list =
      read_access_list([&](char* value, std::size_t size) { return fgetxattr(descriptor, access_list_name, value, size); });
  attributes.named = read_named(descriptor);
  return attributes;
}

std::optional<FileAttributes> read_permissions(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  FileAttributes attributes;
  attributes.mode = status.st_mode & 0777;
  attributes.owner = status.st_uid;
  attributes.group = status.st_gid;
  attributes.access_list = read_access_list(
      [&](char* value, std::size_t size) { return lgetxattr(path.c_str(), access_list_name, value, size); });
  return attributes;
}

bool put_time(int descriptor, const FileAttributes& attributes) {
  const std::array<timespec, 2> times{timespec{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, attributes.modified};
  return futimens(descriptor, times.data()) == 0;
}

bool put_permissions(int descriptor, const FileAttributes& attributes) {
  // Only root may give a file away; its group is the owner's to choose among his own.
  if (fchown(descriptor, attributes.owner, attributes.group) != 0) {
    [[maybe_unused]] const int ignored = fchown(descriptor, static_cast<uid_t>(-1), attributes.group);
  }
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return false;
  const std::string& list = attributes.access_list;
  const bool is_alike = status.st_gid == attributes.group && (list.empty() || status.st_uid == attributes.owner);
  if (!remove_access_list(descriptor)) return false;
  if (!is_alike) return fchmod(descriptor, narrowed(attributes.mode)) == 0;
  if (!list.empty() && fsetxattr(descriptor, access_list_name, list.data(), list.size(), 0) == 0) return true;
  return fchmod(descriptor, list.empty() ? attributes.mode : narrowed(attributes.mode)) == 0;
}

bool put_attributes(int descriptor, const FileAttributes& attributes) {
  for (const auto& [name, value] : attributes.named) {
    [[maybe_unused]] const int ignored = fsetxattr(descriptor, name.c_str(), value.data(), value.size(), 0);
  }
  return put_permissions(descriptor, attributes) && put_time(descriptor, attributes);
}

}  // namespace phalanx
