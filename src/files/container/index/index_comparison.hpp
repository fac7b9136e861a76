// This compares a folder of containers with its index.
#pragma once

#include <functional>
#include <optional>
#include <phalanx/files/tree_index.hpp>
#include <string>

#include "engine/chunked/chunked_encryption.hpp"
#include "files/container/file/tree_run.hpp"
#include "files/container/index/index_findings.hpp"
#include "files/container/index/index_reader.hpp"
#include "files/pipeline/run_executor.hpp"
#include "files/system/input.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// Opens a container that is called `name`, its path below the folder without the suffix. It reads what stands before its
/// chunks. Throws Error where the container does not open.
using OpenContainer = std::function<ChunkedCipher(Input& input, const std::string& name)>;

struct IndexComparing {
  OpenContainer open{};  ///< empty: containers are not opened
  RunOptions engine{};
  bool from_disk = false;  ///< containers are synced and read from their disk; where that fails, the container fails
  const Cancellation* cancellation = nullptr;
};

class IndexComparison {
 public:
  /// Lists the folder, and reads and authenticates the index. `needed` stays the caller's. Throws as verify_tree_index does.
  IndexComparison(const std::string& folder, const TreeIndexOptions& options, const ProtectedFiles& needed);

  [[nodiscard]] std::uint64_t total_bytes() const { return files_.total_bytes(); }

  /// Reads the containers, and tells each name that is not right.
  TreeIndexCounts run(const IndexComparing& how, const OnIndexedFile& on_file, Progress& progress);

 private:
  /// This is an index that is open.
  struct OpenIndex {
    explicit OpenIndex(const TreeIndexOptions& options);
    IndexAuthenticator authenticator;
    std::string path;
    FileDescriptor file;
    IndexReader reader;
  };

  [[nodiscard]] std::string compare(Input& input, const ListedFile& file, const IndexComparing& how, Progress& progress);
  [[nodiscard]] std::optional<Sha256Digest> digest_of(const IndexedContainer& entry, Input& input, const std::string& name,
                                                      const IndexComparing& how, Progress& progress) const;
  void compare_with(const IndexedContainer& entry, Input& input, const std::string& name, const IndexComparing& how,
                    Progress& progress);
  void judge_outcome(const ListedFile& file, const FileOutcome& outcome, const OnIndexedFile& on_file);
  void tell(const IndexedFile& file, const OnIndexedFile& on_file);

  TreeListing files_;
  OpenIndex index_;
  IndexedTree tree_;
  IndexFindings findings_;
  TreeIndexCounts counts_;
};

}  // namespace phalanx
