#include "files/migration/trees/source_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>

#include "files/container/file/tree_run.hpp"
#include "files/system/folder_paths.hpp"
#include "files/system/output/atomic_file.hpp"
#include "files/system/output/sibling_path.hpp"

namespace phalanx {
namespace {

namespace fs = std::filesystem;

ManifestTrees make_trees(const TreeMigrationSettings& settings, bool& is_durable) {
  ManifestTrees trees;
  trees.from = real_path(settings.from, true);
  if (settings.only_reads && settings.to.empty()) return trees;
  if (!settings.only_reads) is_durable = make_folders(fs::absolute(settings.to).lexically_normal().string());
  trees.to = real_path(settings.to, !settings.only_reads);
  if (!settings.only_reads) sync_folder_of(trees.to);  // a run that was killed may have made it and no more
  if (is_below(trees.to, trees.from)) {
    throw Error(ErrorCode::usage, std::string(settings.names.in_to) + " lies in " + settings.names.from +
                                      ", and its files would be taken for old ones: name another");
  }
  return trees;
}

}  // namespace

SourceTree::SourceTree(ProtectedFiles& needed, const TreeMigrationSettings& settings)
    : needed_(needed),
      settings_(settings),
      made_to_tree_(!settings.only_reads && !fs::exists(fs::status(settings.to))),
      trees_(make_trees(settings, is_to_tree_durable_)),
      folder_(std::make_shared<const RootedFolder>(trees_.from)),
      to_(settings.only_reads ? nullptr : std::make_shared<const RootedFolder>(trees_.to)) {}

void SourceTree::list() {
  const auto& list = settings_.list;
  const NameList named{.path = list.value_or(""), .end = settings_.null ? '\0' : '\n'};
  listing_.emplace(folder_, list ? &named : nullptr, needed_);
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

void SourceTree::refuse_long_name(const std::string& container) const {
  const std::size_t longest = longest_name_at(trees_.to + '/'), size = last_name_of(container).size();
  if (size <= longest) return;
  throw Error(ErrorCode::usage, "the name of its container would have " + std::to_string(size) +
                                    " bytes, and files there may have " + std::to_string(longest) + ": rename the old file");
}

void SourceTree::refuse_source_as_out(const std::string& out) const {
  struct stat status {};
  if (::stat(out.c_str(), &status) != 0 || !sources_.contains(FileIdentity(status))) return;
  throw Error(ErrorCode::usage, out + " is one of the old files: name another " + settings_.names.to);
}

}  // namespace phalanx
