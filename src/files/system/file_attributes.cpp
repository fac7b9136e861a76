#include "files/system/file_attributes.hpp"

#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "files/system/file_descriptor.hpp"

namespace phalanx {
namespace {

constexpr mode_t group_bits = 070, other_bits = 007;
constexpr const char* access_list_name = "system.posix_acl_access";
constexpr std::size_t most_attribute_bytes = std::size_t{1} << 16;  // of a value, and of all names: the kernel's limit
constexpr std::size_t few_attribute_bytes = 256;                    // enough for nearly all

using NamedAttributes = std::vector<std::pair<std::string, std::optional<std::string>>>;

// Returns what a call puts into the memory that it is given, or nothing where the call fails.
template <class Read>
std::optional<std::string> read_whole(Read read) {
  std::string value(few_attribute_bytes, '\0');
  ssize_t size = read(value.data(), value.size());
  if (size < 0 && errno == ERANGE) {
    value.resize(most_attribute_bytes);
    size = read(value.data(), value.size());
  }
  if (size < 0) return std::nullopt;
  value.resize(static_cast<std::size_t>(size));
  return value;
}

// Reads by two calls: flistxattr and fgetxattr, or those for a path.
template <class List, class Get>
NamedAttributes read_named(List list, Get get) {
  NamedAttributes found;
  const std::string names = read_whole(list).value_or("");
  for (std::size_t begin = 0; begin < names.size(); begin += std::strlen(names.c_str() + begin) + 1) {
    const std::string name = names.c_str() + begin;
    // Other attributes are the system's, and say who may do what on this file. Our own are about this very file
    // (files/in_place/mark.hpp).
    if (!name.starts_with("user.") || name.starts_with("user.phalanx.")) continue;
    found.emplace_back(name, read_whole([&](char* value, std::size_t size) { return get(name.c_str(), value, size); }));
  }
  return found;
}

template <class Read>
std::string read_access_list(Read read) {
  return read_whole(read).value_or("");
}

// A folder may give new files an access list.
bool remove_access_list(int descriptor) {
  return fremovexattr(descriptor, access_list_name) == 0 || errno == ENODATA || errno == EOPNOTSUPP;
}

}  // namespace

// The new group and others keep the rights that both had. So nobody gains the rights of the other class.
mode_t narrowed(mode_t mode) {
  const mode_t group = (mode & group_bits) >> 3, both = group & mode & other_bits;
  return (mode & ~(group_bits | other_bits)) | both << 3 | both;
}

FileAttributes within(FileAttributes attributes, const FileAttributes& limit) {
  const bool has_other_list = attributes.access_list != limit.access_list;
  const mode_t most = attributes.group == limit.group ? limit.mode : narrowed(limit.mode);
  attributes.mode &= has_other_list ? S_IRWXU & limit.mode : most;
  if (has_other_list) attributes.access_list.clear();
  return attributes;
}

FileAttributes read_attributes(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 ? read_attributes(descriptor, status) : FileAttributes{};
}

FileAttributes read_attributes(int descriptor, const struct stat& status) {
  FileAttributes attributes;
  attributes.mode = status.st_mode & 0777;
  // In a sticky folder each user removes his own files only. Without that bit, nobody but the owner may remove any.
  if (S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0) attributes.mode &= ~(S_IWGRP | S_IWOTH);
  attributes.owner = status.st_uid;
  attributes.group = status.st_gid;
  attributes.modified = status.st_mtim;
  attributes.access_list =
      read_access_list([&](char* value, std::size_t size) { return fgetxattr(descriptor, access_list_name, value, size); });
  attributes.named =
      read_named([&](char* names, std::size_t size) { return flistxattr(descriptor, names, size); },
                 [&](const char* name, char* value, std::size_t size) { return fgetxattr(descriptor, name, value, size); });
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

std::optional<FileAttributes> read_attributes_at(const std::string& path) {
  std::optional<FileAttributes> attributes = read_permissions(path);
  if (!attributes) return attributes;
  attributes->named = read_named(
      [&](char* names, std::size_t size) { return llistxattr(path.c_str(), names, size); },
      [&](const char* name, char* value, std::size_t size) { return lgetxattr(path.c_str(), name, value, size); });
  return attributes;
}

bool put_time(int descriptor, const timespec& modified) {
  const std::array<timespec, 2> times{timespec{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, modified};
  return futimens(descriptor, times.data()) == 0;
}

bool put_permissions(int descriptor, const FileAttributes& attributes) {
  // Only root may give a file away. The owner may choose its group among his own.
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

// A user who is shut out by an entry of a list would come in again without it, as one of the group or of the others.
mode_t mode_within(mode_t mode, const FileAttributes& attributes, gid_t group) {
  const mode_t most = group == attributes.group ? attributes.mode : narrowed(attributes.mode);
  return mode & (attributes.access_list.empty() ? most : attributes.mode & S_IRWXU);
}

bool put_mode_within(int descriptor, mode_t mode, const FileAttributes& attributes) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !remove_access_list(descriptor)) return false;
  const mode_t inherits = S_ISDIR(status.st_mode) ? status.st_mode & S_ISGID : 0;
  return fchmod(descriptor, mode_within(mode, attributes, status.st_gid) | inherits) == 0;
}

void put_named(int descriptor, const FileAttributes& attributes) {
  for (const auto& [name, value] : attributes.named) {
    if (value) [[maybe_unused]]
      const int ignored = fsetxattr(descriptor, name.c_str(), value->data(), value->size(), 0);
  }
}

std::set<std::string> names_not_on(int descriptor, const FileAttributes& attributes) {
  const NamedAttributes on_it = read_attributes(descriptor).named;
  std::set<std::string> names;
  for (const auto& attribute : attributes.named) {
    if (!attribute.second || std::ranges::find(on_it, attribute) == on_it.end()) names.insert(attribute.first);
  }
  return names;
}

bool put_attributes(int descriptor, const FileAttributes& attributes) {
  put_named(descriptor, attributes);
  return put_permissions(descriptor, attributes) && put_time(descriptor, attributes.modified);
}

// This reads the umask of this thread, which may have one of its own.
mode_t process_umask() {
  constexpr mode_t strictest = 077;
  constexpr std::size_t most_bytes = 4096;  // the umask is in the second line of the file
  const FileDescriptor file(::open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return strictest;
  std::string text(most_bytes, '\0');
  text.resize(
      read_until_full(file.get(), {reinterpret_cast<std::uint8_t*>(text.data()), text.size()}, "the process's umask"));
  const std::string field = "\nUmask:\t";
  const std::size_t begin = text.find(field);
  unsigned mask = strictest;
  if (begin == std::string::npos) return strictest;
  const char* const digits = text.c_str() + begin + field.size();
  static_cast<void>(std::from_chars(digits, text.c_str() + text.size(), mask, 8));
  return mask;
}

}  // namespace phalanx
