// A run over a tree registers its outputs, and which file each was made of. Two names of files may lead to one output: as
// two files that are named, on a file system that ignores case, or where two folders are one.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "files/system/file_identity.hpp"

namespace phalanx {

/// Knows the outputs that a run has made or found right, and those that it is making. The run replaces and removes none of
/// them. Any number of threads may use it.
class OutputRegistry {
 public:
  /// This is a file of the tree.
  struct Source {
    std::string name;                        ///< for messages
    std::optional<FileIdentity> identity{};  ///< where it is known, files of several names are the same source
  };

  /// Words the message about an output of another source: its path, `is_of`, the other's name, `so`.
  struct Words {
    const char* is_of = " was made of ";
    const char* so = " by this run: both names lead to one file there; rename one of the two";
  };

  /// Throws Error (usage) where the file `path`, whose identity is `output`, must not give way to the output of the source.
  using RefuseAlso = std::function<void(const FileIdentity& output, const std::string& path, const Source& source)>;

  OutputRegistry() = default;
  /// `refuse_also` is called wherever the file is of no source of this run.
  OutputRegistry(const Words& words, RefuseAlso refuse_also) : words_(words), refuse_also_(std::move(refuse_also)) {}

  /// This is called with the file of the output as soon as that is created, and so before it has its name.
  using Claim = std::function<void(const FileIdentity& output)>;

  /// Makes one output, which is to be at `path`, by `make(claim)`. Once the file is claimed, the file at that name is looked
  /// at again. So two files of one run whose outputs have one name never replace each other, whatever comes first. If `make`
  /// throws, nothing is claimed. If an output of another file stands in the way, or its partial file, that is the error, an
  /// Error (usage). To know it, the call waits for each attempt that may just have created it.
  void make(const Source& source, const std::string& path, const std::function<void(const Claim& claim)>& make);

  /// Notes that this source is taken for the output `path`. Says whether it was taken for that before: it was given twice.
  [[nodiscard]] bool is_taken_again(const Source& source, const std::string& path);

  /// Says that the output is of this source, from now on.
  void add(const FileIdentity& output, const Source& source);

  [[nodiscard]] bool contains(const FileIdentity& output);

  /// Says whether the file `path`, whose identity is `output`, is of this source. Throws Error (usage) where it is of
  /// another.
  [[nodiscard]] bool is_of(const FileIdentity& output, const std::string& path, const Source& source);

  /// Throws Error (usage) where a file is at `path` that is of another source, or must not give way.
  void refuse_another(const std::string& path, const Source& source);

 private:
  // Makes one output. If that fails, nothing stays claimed.
  class Attempt {
   public:
    Attempt(OutputRegistry& registry, const Source& source);
    ~Attempt();
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    void claim(const FileIdentity& output);
    void succeed() { claimed_.reset(); }
    // Waits until each attempt that was made before this call, and not by this object, has claimed a file or has failed.
    void await_others();

   private:
    OutputRegistry& registry_;
    const Source& source_;
    std::uint64_t number_ = 0;
    std::optional<FileIdentity> claimed_;
  };

  void end_wait_for(std::uint64_t attempt);

  const Words words_{};
  const RefuseAlso refuse_also_{};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t num_attempts_ = 0;
  std::set<std::uint64_t> unclaimed_;  // attempts, by their numbers
  std::map<FileIdentity, Source> sources_;
  std::set<std::pair<FileIdentity, std::string>> taken_;
};

}  // namespace phalanx
