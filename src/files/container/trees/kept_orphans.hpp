// This tells which containers stay though their files are gone, and why.
#pragma once

#include <string>

#include "files/container/trees/tree_contents.hpp"
#include "files/container/trees/tree_files.hpp"
#include "files/container/trees/tree_record.hpp"

namespace phalanx {

/// Each container is told once, those of one folder and one reason together; later runs only count them.
class KeptOrphans {
 public:
  /// Says what the run does about missing files.
  struct Policy {
    bool removes = false;
    bool writes = true;
  };
  /// `section` is the folder's, or nullptr where the record has none. All stay the caller's.
  KeptOrphans(const TreeContents& contents, const TreeSection* section, const EachSettingNames& names, Policy policy)
      : contents_(contents), section_(section), names_(names), policy_(policy) {}

  /// Returns the names that are told now, or were by an earlier run, for the record.
  [[nodiscard]] Names tell(TreeTally& tally) const;

 private:
  [[nodiscard]] bool was_told(const std::string& name) const;
  [[nodiscard]] std::string why(const FolderSameness::Finding& finding) const;
  void tell_orphans(Names& kept, TreeTally& tally) const;
  void tell_respelled(Names& kept, TreeTally& tally) const;
  void tell_folders_in_the_way(Names& kept, TreeTally& tally) const;

  const TreeContents& contents_;
  const TreeSection* section_;
  const EachSettingNames& names_;
  Policy policy_;
};

}  // namespace phalanx
