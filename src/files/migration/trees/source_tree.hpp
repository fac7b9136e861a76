// The files that one migration of many is about, and where their containers go.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "files/container/results/result_places.hpp"
#include "files/migration/manifest/manifest_record.hpp"
#include "files/migration/trees/tree_settings.hpp"
#include "files/system/input.hpp"
#include "files/system/protected_files.hpp"
#include "files/system/rooted_folder.hpp"
#include "files/system/tree_listing.hpp"

namespace phalanx {

class SourceTree {
 public:
  /// Opens the tree, and makes the folder for the containers, unless the options only look. Both stay the caller's. Throws
  /// Error where the folders do not fit.
  SourceTree(ProtectedFiles& needed, const TreeMigrationSettings& settings);

  /// Lists the tree, or reads the list, once no other run is at work on these files. Adds the list's file to the
  /// reserved files. Throws Error: usage where the folder for the containers is one of the tree's that is mounted
  /// elsewhere too.
  void list();

  [[nodiscard]] const ManifestTrees& trees() const { return trees_; }
  /// The folder for the containers; none where the options only look, and there is none.
  [[nodiscard]] const ResultFolder& result_folder() const { return to_; }
  [[nodiscard]] const RootedFolder& folder() const { return *folder_; }
  [[nodiscard]] const std::shared_ptr<const RootedFolder>& shared_folder() const { return folder_; }
  /// Once they are listed.
  [[nodiscard]] const TreeListing& listing() const { return *listing_; }
  [[nodiscard]] const std::vector<ListedFile>& entries() const { return listing_->files(); }

  /// Where a container of this name goes.
  [[nodiscard]] ResultPlace place_of(const std::string& container) const;

  /// Returns why a file is not migrated, "" if it is.
  [[nodiscard]] std::string why_skipped(const TreeEntry& entry, Input& input) const;

  /// Throws Error (usage) where `out` is itself one of the old files: --force replaces containers only.
  void refuse_source_as_out(const std::string& out) const;

 private:
  ProtectedFiles& needed_;
  const TreeMigrationSettings& settings_;
  ManifestTrees trees_;
  std::shared_ptr<const RootedFolder> folder_;
  ResultFolder to_;
  std::optional<TreeListing> listing_;
  std::set<FileIdentity> sources_;
};

}  // namespace phalanx
