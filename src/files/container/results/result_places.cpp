#include "files/container/results/result_places.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "files/system/folder_paths.hpp"
#include "files/system/output/sibling_path.hpp"

namespace phalanx {
std::optional<struct stat> ResultPlace::look() const {
  if (folder) return folder->look_at(name);
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) return status;
  if (errno != ENOENT && errno != ENOTDIR) throw_system_error("look at", path);
  return std::nullopt;
}

FileDescriptor ResultPlace::open(int flags) const {
  constexpr int always = O_NOFOLLOW | O_NONBLOCK;
  return folder ? folder->open(name, flags | always) : open_file(path, flags | always);
}

Input ResultPlace::open_input() const {
  Input input(open(O_RDONLY), path);
  if (S_ISREG(input.status().st_mode)) return input;
  throw Error(ErrorCode::usage, path + " is not a regular file");
}

void ResultPlace::refuse_long_name() const {
  const std::size_t size = last_name_of(path).size();
  if (size <= short_name_bytes) return;
  const std::size_t longest = longest_name_at(path);
  if (size <= longest) return;
  throw Error(ErrorCode::usage, "the name of its result would have " + std::to_string(size) +
                                    " bytes, and files there may have " + std::to_string(longest) + ": rename the file");
}

ResultPlace place_in(const ResultFolder& to, const std::string& name) {
  return {.path = to.folder->path_of(name), .folder = to.folder, .name = name};
}

void refuse_overlap(const RootedFolder& from, std::span<const TreeFolder> below, const std::string& to) {
  struct stat status {};
  const bool is_there = ::stat(to.c_str(), &status) == 0;
  const std::string name = from.path_of("");
  const FileDescriptor folder = from.open("", O_PATH | O_DIRECTORY);
  const bool is_above = is_there && lies_in(name, FileIdentity(status));
  const auto is_it = [&](const TreeFolder& other) {  // mounted there once more
    return is_there && other.device == status.st_dev && other.identity.inode == status.st_ino;
  };
  if (!is_above && std::ranges::none_of(below, is_it) && !lies_in(to, identity_of(folder.get(), name))) return;
  throw Error(ErrorCode::usage, "one of the folders " + name + " and " + to +
                                    " lies in the other, or both are one: name a folder elsewhere for the results");
}

// A run that was killed may have made the folder and no more.
ResultFolder make_result_folder(const std::string& to) {
  std::error_code error;
  const bool is_new = !std::filesystem::exists(to, error);
  const bool is_durable = make_folders(to);
  sync_folder_of(to);
  return {.folder = std::make_shared<const RootedFolder>(to), .is_new = is_new, .is_durable = is_durable};
}

namespace {

std::string folder_named(const std::string& name) {
  std::string folder = file_named(name);
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder;
}

}  // namespace

ResultPlaces::ResultPlaces(const TreeListing& files, const std::string* to, Rename rename, const std::string* within)
    : rename_(std::move(rename)) {
  if (to == nullptr) return;
  const std::string all = folder_named(within == nullptr ? *to : *within);
  for (const ListedFolder& from : files.folders()) refuse_overlap(*from.folder, from.folders, all);
  to_ = make_result_folder(folder_named(*to));
}

ResultPlace ResultPlaces::place_of(const ListedFile& file) const {
  if (to_.folder) return at(rename_(file.name));
  const std::string path = rename_(file.path);
  return {.path = path, .folder = file.folder, .name = file.folder ? rename_(file.name) : path};
}

}  // namespace phalanx
