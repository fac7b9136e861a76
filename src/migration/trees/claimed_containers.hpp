// Which old file a container holds, where nothing else may take its place. Two names of old files may lead to one file in
// the folder of the containers, as on a file system that takes upper and lower case for the same, or where two folders are
// one.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "files/file_identity.hpp"
#include "migration/trees/manifest.hpp"
#include "migration/trees/source_tree.hpp"

namespace phalanx {

/// The containers that a run has made or compared, and those that its manifest says are done and whose old files are gone.
/// Any number of threads may use it.
class ClaimedContainers {
 public:
  /// Both stay the caller's.
  ClaimedContainers(const Manifest& manifest, const SourceTree& files) : manifest_(manifest), files_(files) {}

  /// To make the container of one old file. Where it comes to nothing, nothing is claimed.
  class Attempt {
   public:
    /// Both stay the caller's.
    Attempt(ClaimedContainers& claims, const std::string& name);
    ~Attempt();
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    /// As soon as the file is created, and so before it gets its name.
    void claim(const FileIdentity& container);

    /// It has its name.
    void succeed() { claimed_.reset(); }

    /// Waits until each attempt that was made before this call, and not by this object, has claimed a file or come to
    /// nothing: one may have just created the file that is in our way.
    void await_others();

   private:
    ClaimedContainers& claims_;
    const std::string& name_;
    std::uint64_t number_ = 0;
    std::optional<FileIdentity> claimed_;
  };

  /// From now on the file is that of this old file.
  void claim(const FileIdentity& container, const std::string& name);

  /// Throws Error (usage) where the file `path` is the container of another old file than `name`.
  void refuse_another(const std::string& path, const std::string& name);

  /// Whether the file `path` is all that is left of an old file, which perhaps had this very name.
  [[nodiscard]] bool is_only_copy(const std::string& path);

 private:
  using Names = std::map<FileIdentity, std::string>;

  void end_wait_for(std::uint64_t attempt);
  void find_orphans();

  const Manifest& manifest_;
  const SourceTree& files_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t num_attempts_ = 0;
  std::set<std::uint64_t> unclaimed_;  // attempts, by their numbers
  Names claimed_;
  std::optional<Names> orphans_;  // of earlier runs, once that was needed
};

}  // namespace phalanx
