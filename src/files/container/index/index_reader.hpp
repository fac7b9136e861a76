// An index that is read: every segment is authenticated before a change of it is used. docs/index_format.md section 3.
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
  bool is_seen = false;     ///< by whoever goes through the tree
  bool is_changed = false;  ///< since it was read
};

/// The containers of a tree by their names. About 280 bytes each, and the name.
using IndexedTree = std::map<std::string, IndexedContainer>;

/// How many entries of an index of version 1 there are, which say nothing of headers.
[[nodiscard]] std::uint64_t num_without_header(const IndexedTree& tree);

/// No index has more: so nobody who makes the file longer, by a hole, has it read for days.
inline constexpr std::uint64_t most_index_bytes = std::uint64_t{1} << 36;

/// Throws Error (authentication) where there is no index, which had a generation: it was removed.
void require_index_there(const std::string& path, std::uint64_t at_least);

class IndexReader {
 public:
  /// Reads all of the file and authenticates it, a buffer at a time. The descriptor stays the caller's, and `name` is for
  /// messages. Throws Error: format if it is no index, wrong_key if it is of another key, authentication, also where it has
  /// more than most_index_bytes, runtime.
  IndexReader(int descriptor, std::string name, const IndexAuthenticator& authenticator);

  [[nodiscard]] std::uint64_t generation() const { return generation_; }  ///< 0: it has no segment
  [[nodiscard]] const Sha256Digest& digest() const { return digest_; }    ///< of the last segment; zeros if there is none
  [[nodiscard]] std::uint64_t whole_bytes() const { return end_; }        ///< of all segments
  [[nodiscard]] std::uint64_t cut_bytes() const { return file_bytes_ - end_; }  ///< of a half segment behind them
  [[nodiscard]] std::uint64_t changes_since_whole() const { return changes_since_whole_; }  ///< in bytes

  /// Throws Error (authentication) if there are fewer generations than that.
  void require_at_least(std::uint64_t generation) const;

  /// The tree after the last run. Throws as the constructor does, also where the file was changed since.
  [[nodiscard]] IndexedTree read_tree() const;

  /// All changes that there ever were, in their order. What is done with one may not trust it before this returns. Throws as
  /// read_tree does.
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
  std::uint8_t version_ = 1;  // of the last segment
  Sha256Digest digest_{};
  std::uint64_t last_whole_ = 0;  // where it begins
  std::uint64_t changes_since_whole_ = 0;
};

}  // namespace phalanx
