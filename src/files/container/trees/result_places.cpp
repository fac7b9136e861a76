#include "files/container/trees/result_places.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "files/system/folder_paths.hpp"
#include "files/system/output/sibling_path.hpp"

namespace phalanx {
namespace {

// Results that lay among the files would be taken for some by the next run, and files among the results for such.
void refuse_overlap(const TreeListing& files, const std::string& to) {
  struct stat status {};
  const bool is_there = ::stat(to.c_str(), &status) == 0;
  for (const ListedFolder& from : files.folders()) {
    const std::string name = from.folder->path_of("");
    const FileDescriptor folder = from.folder->open("", O_PATH | O_DIRECTORY);
    const bool is_above = is_there && lies_in(name, FileIdentity(status));
    const auto is_it = [&](const TreeFolder& below) {  // mounted there once more
      return is_there && below.device == status.st_dev && below.identity.inode == status.st_ino;
    };
    if (!is_above && std::ranges::none_of(from.folders, is_it) && !lies_in(to, identity_of(folder.get(), name))) continue;
    throw Error(ErrorCode::usage, "one of the folders " + name + " and " + to +
                                      " lies in the other, or both are one: name a folder elsewhere for the results");
  }
}

}  // namespace

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

void ResultPlace::refuse_long_name() const {
  const std::size_t longest = longest_name_at(path), size = last_name_of(path).size();
  if (size <= longest) return;
  throw Error(ErrorCode::usage, "the name of its result would have " + std::to_string(size) +
                                    " bytes, and files there may have " + std::to_string(longest) + ": rename the file");
}

ResultPlaces::ResultPlaces(const TreeListing& files, const std::string* to, Rename rename) : rename_(std::move(rename)) {
  if (to == nullptr) return;
  std::string folder = file_named(*to);
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  refuse_overlap(files, folder);
  std::error_code error;
  made_to_ = !std::filesystem::exists(folder, error);
  make_folders(folder);
  to_ = std::make_shared<const RootedFolder>(folder);
}

ResultPlace ResultPlaces::at(const std::string& name) const {
  return {.path = to_->path_of(name), .folder = to_, .name = name};
}

ResultPlace ResultPlaces::place_of(const ListedFile& file) const {
  if (to_) return at(rename_(file.name));
  const std::string path = rename_(file.path);
  return {.path = path, .folder = file.folder, .name = file.folder ? rename_(file.name) : path};
}

}  // namespace phalanx
