#include "files/container/trees/sealing_settings.hpp"

#include <sys/stat.h>

#include <memory>

#include "files/container/file/tree_run.hpp"
#include "files/system/rooted_folder.hpp"

namespace phalanx {
namespace {

// If a source is not there, this is the error.
void refuse_missing(const TreeListing& files) {
  struct stat status {};
  for (const ListedFile& file : files.files()) {
    if (!file.from_folder() && ::stat(file.path.c_str(), &status) != 0) throw_system_error("open", file.path);
  }
}

// Says whether a name is there in a folder, which need not be there.
TreeIndexRun::IsThere is_in(const std::string& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return [](const std::string&) { return false; };
  return [root = std::make_shared<const RootedFolder>(folder)](const std::string& name) {
    return root->look_at(name).has_value();
  };
}

// If an index names containers, and the folder has none of them, a disk is missing.
void require_tree(const TreeSealing& sealing) {
  struct stat status {};
  const bool is_there = ::stat(sealing.to->c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  const std::string& all = sealing.within == nullptr ? *sealing.to : *sealing.within;
  if (sealing.index != nullptr && sealing.index->is_of_other_folder(is_in(all))) {
    throw Error(ErrorCode::usage, all + " has none of the containers that " + sealing.index->path() +
                                      " names: its disk may be missing; to begin anew, move the index away");
  }
  if (sealing.options.expect_tree && !is_in(*sealing.to)(tree_record_name)) {
    throw Error(ErrorCode::usage, *sealing.to + " has no " + tree_record_name + ", and " + sealing.names.expect_tree +
                                      " is given: its disk may be missing; the first run is without that");
  }
  if (sealing.options.dry_run && !is_there) {
    throw Error(ErrorCode::usage, *sealing.to + " is not there: every file would be sealed");
  }
}

void require_fitting_dry_run(const TreeSealing& sealing) {
  if (!sealing.options.dry_run) return;
  const EachSettingNames& names = sealing.names;
  const char* const other = sealing.index != nullptr                           ? names.index
                            : sealing.options.update == TreeUpdate::by_content ? names.by_content
                                                                               : nullptr;
  if (other == nullptr) return;
  throw Error(ErrorCode::usage, std::string(names.dry_run) + " opens no container: leave " + other + " out");
}

void require_one_folder(const TreeListing& files, const TreeSealing& sealing) {
  const EachSettingNames& names = sealing.names;
  const bool is_one = sealing.to != nullptr && files.is_one_folder();
  if (sealing.options.prune && !is_one) {
    throw Error(ErrorCode::usage, std::string(names.prune) + " is for folders and " + names.to +
                                      ": beside the files nothing is removed, nor of files that are named");
  }
  if (!sealing.options.prune && !sealing.options.prune_also.empty()) {
    throw Error(ErrorCode::usage, std::string(names.prune_also) + " goes with " + names.prune + ": give both");
  }
  if (sealing.options.update_recipients && (sealing.options.update == TreeUpdate::none || sealing.options.dry_run)) {
    throw Error(ErrorCode::usage, std::string(names.update_recipients) + " goes with " + names.update + ", and not with " +
                                      names.dry_run + ", which opens no container");
  }
  const char* const other = sealing.options.renew_tree    ? names.renew_tree
                            : sealing.options.expect_tree ? names.expect_tree
                            : sealing.options.dry_run     ? names.dry_run
                                                          : nullptr;
  if (other != nullptr && !is_one) {
    throw Error(ErrorCode::usage, std::string(other) + " is for folders and " + names.to + ": give both, and name no file");
  }
}

}  // namespace

void require_fitting(const TreeListing& files, const TreeSealing& sealing) {
  const EachSettingNames& names = sealing.names;
  if (sealing.options.prune) refuse_missing(files);
  require_one_folder(files, sealing);
  if (sealing.index != nullptr && sealing.to == nullptr && !files.is_one_folder()) {
    throw Error(ErrorCode::usage, std::string(names.index) + " is for the containers of one folder: name one folder, or " +
                                      names.to + " for all");
  }
  if (sealing.options.update != TreeUpdate::none && sealing.options.replace) {
    throw Error(ErrorCode::usage,
                std::string(names.update) + " replaces what changed, and " + names.output.force + " all: give one of them");
  }
  require_times(sealing.options.update, sealing.options.keep, names);
  require_fitting_dry_run(sealing);
  if (sealing.to != nullptr) require_tree(sealing);
}

ContainerJob job_of(const TreeSealing& sealing, const ListedFile& file, bool bind_name) {
  ContainerJob job = sealing.job;
  if (bind_name) job.binding = placed_at(job.binding, file.name);
  return job;
}

std::string name_in_index(const TreeSealing& sealing, const std::string& name) {
  return sealing.place.empty() ? name : sealing.place + '/' + name;
}

unsigned asked_binding_flags(const TreeSealing& sealing) {
  return binding_flags_of(sealing.job.binding) | (sealing.options.bind_names ? name_flag : 0U);
}

}  // namespace phalanx
