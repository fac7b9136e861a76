// This gives the name of an old file's container.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "files/migration/manifest/manifest.hpp"
#include "files/system/tree_listing.hpp"

namespace phalanx {

/// The old file's name and ".phalanx"; one of some suffixes is taken off before. But a file that the manifest says is done
/// keeps the name that its container has, whatever the suffixes are now. Any number of threads may use it.
class ContainerNames {
 public:
  /// The manifest stays the caller's. Throws Error (usage) for what is no suffix.
  ContainerNames(const Manifest& manifest, std::vector<std::string> suffixes);

  /// Returns the suffix that is taken off this old name, "" if there is none.
  [[nodiscard]] std::string stripped_of(const std::string& old_name) const;

  /// Returns the container's name below the folder of the containers.
  [[nodiscard]] std::string name_of(const std::string& old_name) const {
    return container_name(old_name, stripped_of(old_name));
  }

  /// Learns which old files there are: before unshared_name_of.
  void learn(const std::vector<ListedFile>& entries);

  /// Returns the name of a container that is to be made. Throws Error (usage) where the container of another old file
  /// has this name, or would have it. Then neither is made, or the one that the manifest tells of stays.
  [[nodiscard]] std::string unshared_name_of(const std::string& old_name) const;

 private:
  [[nodiscard]] std::string new_stripped(const std::string& old_name) const;

  const Manifest& manifest_;
  std::vector<std::string> suffixes_;                       // the longest first
  std::map<std::string, std::vector<std::string>> owners_;  // of containers, where names may meet: the old files' names
};

}  // namespace phalanx
