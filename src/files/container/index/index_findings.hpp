// This explains a name of a tree that is not as the index has it. The container that it has now may be elsewhere in the
// index, or in an earlier generation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <phalanx/files/tree_index.hpp>
#include <string>
#include <vector>

#include "files/container/index/index_reader.hpp"

namespace phalanx {

/// This is a name, and the body that it shows.
struct StrangeName {
  std::string name{};
  std::optional<BodyFacts> body{};  ///< nothing where there is no container
  std::string why{};  ///< the problem, where that does not depend on other names; "" without a body: it is not there
};

/// This is a name whose body is right, and whose header differs from the index's.
struct StrangeHeader {
  std::string name{};
  Sha256Digest header{};
  std::optional<ErrorCode> code{};  ///< set where it does not open
  std::string why{};                ///< why it does not open
};

/// The tree and the index stay the caller's. The tree's names that are there are marked as seen.
class IndexFindings {
 public:
  IndexFindings(const IndexedTree& tree, const IndexReader& index) : tree_(tree), index_(index) {}

  void add(StrangeName name) { names_.push_back(std::move(name)); }
  void add(StrangeHeader header) { headers_.push_back(std::move(header)); }

  /// Explains each of the names, and those that are in the index and nowhere in the tree. Reads the earlier generations
  /// where they may explain something. Throws as IndexReader::for_each_change does.
  [[nodiscard]] std::vector<IndexedFile> explain();

 private:
  using Prefix = std::array<std::uint8_t, message_prefix_bytes>;
  struct Known {
    const BodyFacts* body = nullptr;  // the body of one of the names
    std::string now{};                // its name in the index
    std::string then{};               // its name in an earlier generation
    std::uint64_t generation = 0;     // the last generation that had it so
  };

  struct KnownHeader {
    Sha256Digest header{};
    std::uint64_t since = 0;  // the generation that gave it to the name, which has had it since
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
  std::map<Sha256Digest, std::uint64_t> headers_then_;  // by digests of strange headers: their last generation, or 0
  std::map<std::string, KnownHeader> indexed_headers_;  // by the names of strange headers: the header in the index
  std::map<Prefix, Known> known_;
  std::map<std::string, std::string> found_at_;  // by a name in the index: the other name where its container is
};

}  // namespace phalanx
