#include "files/migration/trees/source_tree.hpp"

#include <sys/stat.h>

#include <filesystem>

#include "files/container/file/tree_run.hpp"
#include "files/system/folder_paths.hpp"

namespace phalanx {
namespace {

// A run that only looks makes no folder. The folder need not be there yet.
ResultFolder result_folder_of(const RootedFolder& from, const std::string& to, bool only_reads) {
  if (only_reads && to.empty()) return {};
  refuse_overlap(from, {}, to);
  if (!only_reads) return make_result_folder(to);
  if (!std::filesystem::is_directory(std::filesystem::status(to))) return {};
  return {.folder = std::make_shared<const RootedFolder>(to)};
}

}  // namespace

SourceTree::SourceTree(ProtectedFiles& needed, const TreeMigrationSettings& settings)
    : needed_(needed),
      settings_(settings),
      trees_{.from = real_path(settings.from, true), .to = settings.to.empty() ? "" : real_path(settings.to, false)},
      folder_(std::make_shared<const RootedFolder>(trees_.from)),
      to_(result_folder_of(*folder_, trees_.to, settings.only_reads)) {}

void SourceTree::list() {
  const auto& list = settings_.list;
  const NameList named{.path = list.value_or(""), .end = settings_.null ? '\0' : '\n'};
  listing_.emplace(folder_, list ? &named : nullptr, needed_);
  if (to_.folder) refuse_overlap(*folder_, listing_->folders().front().folders, trees_.to);
  if (list) needed_.add_path(*list == "-" ? "/dev/stdin" : *list, "the list");
  for (const ListedFile& entry : entries()) {
    if (entry.is_regular) sources_.insert(entry.identity);
  }
}

std::string SourceTree::why_skipped(const TreeEntry& entry, Input& input) const {
  if (!S_ISREG(input.status().st_mode)) return "no regular file";
  if (is_unfinished(entry.name)) return "an unfinished file of a run that was killed";
  const std::string found = needed_.find(input.status());
  if (!found.empty()) return found + ", which this run needs";
  return begins_as_container(input) ? "a container already" : "";
}

ResultPlace SourceTree::place_of(const std::string& container) const {
  if (to_.folder) return place_in(to_, container);
  const std::string path = trees_.to + '/' + container;
  return {.path = path, .folder = nullptr, .name = path};
}

void SourceTree::refuse_source_as_out(const std::string& out) const {
  struct stat status {};
  if (::stat(out.c_str(), &status) != 0 || !sources_.contains(FileIdentity(status))) return;
  throw Error(ErrorCode::usage, out + " is one of the old files: name another " + settings_.names.to);
}

}  // namespace phalanx
