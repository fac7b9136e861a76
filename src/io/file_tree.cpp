#include "io/file_tree.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

#include "phalanx/phalanx.hpp"

namespace phalanx {
namespace {

namespace fs = std::filesystem;

TreeEntry describe_entry(const std::string& folder, const std::string& name) {
  TreeEntry entry;
  entry.name = name;
  struct stat status {};
  if (::lstat((folder + '/' + name).c_str(), &status) != 0 || S_ISREG(status.st_mode)) {
    entry.is_regular = true;
    entry.bytes = static_cast<std::uint64_t>(std::max<off_t>(0, status.st_size));
  } else if (S_ISLNK(status.st_mode)) {
    entry.why_not = "a symbolic link";
  } else {
    entry.why_not = S_ISDIR(status.st_mode) ? "a folder" : "no regular file";
  }
  return entry;
}

void list_folder(const std::string& root, const std::string& prefix, std::vector<TreeEntry>& entries) {
  std::error_code error;
  fs::directory_iterator here(root + '/' + prefix, error);
  for (const fs::directory_iterator end; !error && here != end; here.increment(error)) {
    const std::string name = prefix + here->path().filename().string();
    std::error_code unknown;
    if (here->symlink_status(unknown).type() == fs::file_type::directory) {
      list_folder(root, name + '/', entries);
    } else {
      entries.push_back(describe_entry(root, name));
    }
  }
  if (!error) return;
  TreeEntry entry;
  entry.name = prefix.empty() ? "." : prefix.substr(0, prefix.size() - 1);
  entry.why_not = "cannot read the folder: " + error.message();
  entry.failed = true;
  entries.push_back(std::move(entry));
}

std::string normalized(const std::string& line) {
  const fs::path path = fs::path(line).lexically_normal();
  if (path.is_absolute() || path.begin() == path.end() || *path.begin() == "..") {
    throw Error(ErrorCode::usage, "the list names " + line + ": its lines are names below the folder of the old files");
  }
  return path.string();
}

}  // namespace

std::vector<TreeEntry> list_tree(const std::string& folder) {
  std::error_code unknown;
  if (!fs::is_directory(folder, unknown))
    throw Error(ErrorCode::usage, folder + " is not a folder: name the one of the old files");
  std::vector<TreeEntry> entries;
  list_folder(folder, "", entries);
  std::ranges::sort(entries, {}, &TreeEntry::name);
  return entries;
}

std::vector<TreeEntry> list_named(const std::string& folder, const std::string& list_path) {
  std::ifstream list(list_path == "-" ? "/dev/stdin" : list_path, std::ios::binary);
  if (!list) throw Error(ErrorCode::runtime, "cannot open " + list_path + ": is that the list's name?");
  std::vector<TreeEntry> entries;
  std::set<std::string> names;
  for (std::string line; std::getline(list, line);) {
    if (line.empty()) continue;
    const std::string name = normalized(line);
    if (names.insert(name).second) entries.push_back(describe_entry(folder, name));
  }
  if (list.bad()) throw Error(ErrorCode::runtime, "cannot read " + list_path);
  return entries;
}

}  // namespace phalanx
