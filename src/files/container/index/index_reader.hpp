// An index is authenticated, every segment of it, before a change of it is used (docs/index_format.md, section 3).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "files/container/index/index_authenticator.hpp"
#include "files/container/index/index_change.hpp"
#include "files/container/index/index_segment.hpp"

namespace phalanx {

struct IndexedContainer {
  BodyFacts body{};
  bool is_seen = false;     ///< set by a run that goes through the tree
  bool is_changed = false;  ///< since the index was read
};

/// Holds the containers of a tree by their names. Each takes about 280 bytes, and the name.
using IndexedTree = std::map<std::string, IndexedContainer>;

/// Counts the entries of an index of version 1, which say nothing of headers.
[[nodiscard]] std::uint64_t num_without_header(const IndexedTree& tree);

/// No index has more bytes. So nobody can make the file longer, by a hole, and have it read for days.
inline constexpr std::uint64_t most_index_bytes = std::uint64_t{1} << 36;

/// Throws Error (authentication) where an index that had a generation was removed.
void require_index_there(const std::string& path, std::uint64_t at_least);

class IndexReader {
 public:
  /// Reads all of the file and authenticates it, a buffer at a time. The descriptor stays the caller's, and `name` is for
  /// messages. Throws Error with these codes:
  /// - format: it is no index
  /// - wrong_key: it has another key
  /// - authentication: it is not authentic, or has more than most_index_bytes
  /// - runtime: it cannot be read
  IndexReader(int descriptor, std::string name, const IndexAuthenticator& authenticator);

  [[nodiscard]] std::uint64_t generation() const { return generation_; }  ///< 0: it has no segment
  [[nodiscard]] const Sha256Digest& digest() const { return digest_; }    ///< of the last segment; zeros if there is none
  [[nodiscard]] std::uint64_t whole_bytes() const { return end_; }        ///< size of all segments
  [[nodiscard]] std::uint64_t cut_bytes() const { return file_bytes_ - end_; }  ///< size of a half segment behind them
  /// Returns the bytes of changes since the last whole segment.
  [[nodiscard]] std::uint64_t changes_since_whole() const { return changes_since_whole_; }

  /// Throws Error (authentication) if there are fewer generations than `generation`.
  void require_at_least(std::uint64_t generation) const;

  /// Returns the tree after the last run. Throws as the constructor does, also where the file was changed since.
  [[nodiscard]] IndexedTree read_tree() const;

  /// Calls `on_change` for all changes that there ever were, in their order. The callee may not trust one before this
  /// returns. Throws as read_tree does.
  using OnChange = std::function<void(std::uint64_t generation, IndexChange&& change)>;
  void for_each_change(const OnChange& on_change) const;

 private:
  struct Segment;
  void authenticate_all(const IndexAuthenticator& authenticator);
  [[nodiscard]] bool is_torn(std::uint64_t position, const IndexHeadBytes& bytes, std::size_t num_bytes) const;
  void require_next(const IndexHead& head, const IndexAuthenticator& authenticator) const;
  void read_segments(std::uint64_t from, const std::function<void(const IndexHead&)>& on_head, const OnChange& on_change,
                     const std::function<void(const IndexHead&)>& on_end) const;

  int descriptor_;
  std::string name_;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t generation_ = 0;
  std::uint8_t version_ = 1;  // the last segment's version
  Sha256Digest digest_{};
  std::uint64_t last_whole_ = 0;  // where the last whole tree begins
  std::uint64_t changes_since_whole_ = 0;
};

}  // namespace phalanx
