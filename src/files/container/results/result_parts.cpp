#include "files/container/results/result_parts.hpp"

#include <sys/stat.h>

#include <map>
#include <phalanx/error.hpp>

#include "files/container/file/tree_run.hpp"
#include "files/container/results/result_places.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_there(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && (path.ends_with('/') || path.ends_with("/."))) path.pop_back();
  return path;
}

// "" for what has none: the root, and a folder that is named by dots.
std::string own_name_of_source(const std::string& path) {
  const std::string name = last_name_of(without_slashes(path));
  return name == "." || name == ".." || name == "/" ? "" : name;
}

std::string path_in(const std::string& folder, const std::string& name) {
  return folder.ends_with('/') ? folder + name : folder + '/' + name;
}

void refuse_equal_names(std::span<const std::string> from) {
  std::map<std::string, std::string> seen;  // sources by their names
  for (const std::string& source : from) {
    const std::string name = own_name_of_source(source);
    if (name.empty()) {
      throw Error(ErrorCode::usage, source +
                                        " has no name, and results of several folders lie below their names: give a path "
                                        "that ends in the name of that folder");
    }
    const auto [first, is_new] = seen.emplace(name, source);
    const bool are_files = !is_folder(source) && !is_folder(first->second);
    if (is_new || are_files) continue;  // of two files each tells that its result has a name that is taken
    throw Error(ErrorCode::usage, first->second + " and " + source + " are both called " + name +
                                      ", and so would their results be: take one of them, and the other by a run of its own "
                                      "into another folder");
  }
}

}  // namespace

std::vector<ResultPart> parts_of(std::span<const std::string> from, const std::string* to) {
  std::vector<std::string> files, folders;
  for (const std::string& source : from) (is_folder(source) ? folders : files).push_back(source);
  if (to == nullptr) return {ResultPart{.from = {from.begin(), from.end()}}};
  if (from.size() == 1 || folders.empty()) return {ResultPart{.from = {from.begin(), from.end()}, .to = *to}};
  refuse_equal_names(from);
  const std::string all = without_slashes(*to);
  std::vector<ResultPart> parts;
  if (!files.empty()) parts.push_back({.from = files, .to = all, .within = *to});
  for (const std::string& folder : folders) {
    refuse_overlap(RootedFolder(folder), {}, all);
    const std::string name = own_name_of_source(folder);
    parts.push_back({.from = {folder}, .to = path_in(all, name), .place = name, .within = *to});
  }
  return parts;
}

void protect_named_files(std::span<const ResultPart> parts, ProtectedFiles& needed) {
  for (const ResultPart& part : parts) {
    if (!part.within || !part.place.empty()) continue;
    for (const std::string& file : part.from) needed.add_path(file, "one of the files to read");
  }
}

void refuse_other_layout(std::span<const ResultPart> parts, const std::string& to) {
  const bool has_record = is_there(path_in(to, tree_record_name));
  if (parts.size() > 1) {
    if (!has_record) return;
    throw Error(ErrorCode::usage, to + " has containers of a run over one folder straight in it, as its " +
                                      tree_record_name + " says: name another folder for those of several");
  }
  if (has_record || parts.front().from.size() != 1) return;
  const std::string& source = parts.front().from.front();
  const std::string name = own_name_of_source(source);
  if (name.empty() || !is_folder(source) || !is_there(path_in(path_in(to, name), tree_record_name))) return;
  throw Error(ErrorCode::usage, path_in(to, name) + " has containers of a run over several folders, as its " +
                                    tree_record_name + " says: to go on with " + source + " alone, name " +
                                    path_in(to, name) + " for its results, and bind names below " + name +
                                    " where they are bound");
}

}  // namespace phalanx
