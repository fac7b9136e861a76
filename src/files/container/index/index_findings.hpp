// What a name of a tree that is not as the index has it means: by what container it has now, and where else that is in the
// index or ever was.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <phalanx/files/tree_index.hpp>
#include <string>
#include <vector>

#include "files/container/index/index_reader.hpp"

namespace phalanx {

/// A name, and the body that it shows.
struct StrangeName {
  std::string name{};
  std::optional<BodyFacts> body{};  ///< nothing where there is no container
  std::string why{};  ///< what is wrong, where that does not depend on other names; "" without a body: it is not there
};

/// A name whose body is right, and whose header is another than the index has.
struct StrangeHeader {
  std::string name{};
  Sha256Digest header{};
  std::optional<ErrorCode> code{};  ///< it does not open
  std::string why{};                ///< nor why
};

/// The tree, whose names are seen that are there, and the index stay the caller's.
class IndexFindings {
 public:
  IndexFindings(const IndexedTree& tree, const IndexReader& index) : tree_(tree), index_(index) {}

  void add(StrangeName name) { names_.push_back(std::move(name)); }
  void add(StrangeHeader header) { headers_.push_back(std::move(header)); }

  /// What each of the names is, and those that are in the index and nowhere in the tree. Reads the earlier generations where
  /// something may be of those. Throws as IndexReader::for_each_change does.
  [[nodiscard]] std::vector<IndexedFile> explain();

 private:
  using Prefix = std::array<std::uint8_t, message_prefix_bytes>;
  struct Known {
    const BodyFacts* body = nullptr;  // one of the names'
    std::string now{};                // its name in the index
    std::string then{};               // or in an earlier generation,
    std::uint64_t generation = 0;     // the last one that had it so
  };

  struct KnownHeader {
    Sha256Digest header{};
    std::uint64_t since = 0;  // the generation that gave it to a name which has had it since then
  };

  void find_now();
  void find_then();
  void note_body(std::uint64_t generation, const IndexChange& change);
  void note_header(std::uint64_t generation, const IndexChange& change);
  [[nodiscard]] IndexedFile explain_header(const StrangeHeader& strange) const;
  [[nodiscard]] const Known* known_of(const StrangeName& strange) const;
  [[nodiscard]] IndexedFile explain_indexed(const StrangeName& strange) const;
  [[nodiscard]] IndexedFile explain_new(const StrangeName& strange) const;

  const IndexedTree& tree_;
  const IndexReader& index_;
  std::vector<StrangeName> names_;
  std::vector<StrangeHeader> headers_;
  std::map<Sha256Digest, std::uint64_t> headers_then_;  // of those: the last generation that had it, or 0
  std::map<std::string, KnownHeader> indexed_headers_;  // of their names: what the index has
  std::map<Prefix, Known> known_;
  std::map<std::string, std::string> found_at_;  // a name in the index, and at what other name its container is
};

}  // namespace phalanx
