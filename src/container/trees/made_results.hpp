// The results that a run has made or found right: none of them is replaced or removed by it. Two names of files may lead to
// one result, as two files that are named, or on a file system that takes upper and lower case for the same.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "files/file_identity.hpp"

namespace phalanx {

/// Any number of threads may use it.
class MadeResults {
 public:
  /// A file and its result.
  struct Source {
    FileIdentity identity;
    std::string path;
  };

  /// To make one result: claimed before it has its name, and given up again where nothing comes of it.
  class Attempt {
   public:
    /// Both stay the caller's.
    Attempt(MadeResults& made, const Source& source) : made_(made), source_(source) {}
    ~Attempt();
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    void claim(const FileIdentity& result);
    void succeed() { claimed_.reset(); }

   private:
    MadeResults& made_;
    const Source& source_;
    std::optional<FileIdentity> claimed_;
  };

  void add(const FileIdentity& result, const Source& source);
  [[nodiscard]] bool contains(const FileIdentity& result) const;
  [[nodiscard]] bool is_empty() const;

  /// Whether the file `path`, which this is, was made of the same file: that was given twice. Throws Error (usage) where it
  /// was made of another.
  [[nodiscard]] bool is_of(const FileIdentity& result, const std::string& path, const Source& source) const;

 private:
  mutable std::mutex mutex_;
  std::map<FileIdentity, Source> made_;
};

}  // namespace phalanx
