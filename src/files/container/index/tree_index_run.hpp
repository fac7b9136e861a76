// A run that writes an index holds it. It knows what was in the index before, collects what the run makes of the tree, and
// appends the segment that says so (docs/index_format.md, section 4).
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <phalanx/files/tree_index.hpp>
#include <set>
#include <string>

#include "files/container/index/index_reader.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/file_identity.hpp"
#include "files/system/protected_files.hpp"

namespace phalanx {

class TreeIndexRun {
 public:
  /// Opens or makes the file, locks it, authenticates it, and cuts off a half segment of a killed run. Throws as IndexReader
  /// does, and Error: usage where another run has it, or the key cannot write, or signs without digests; authentication
  /// where it has fewer generations than it should.
  explicit TreeIndexRun(const TreeIndexOptions& options);

  /// Keeps the index from being sealed.
  void add_to(ProtectedFiles& needed) const { needed.add_descriptor(file_.get(), "the index"); }

  [[nodiscard]] bool wants_digests() const { return options_.digest; }
  [[nodiscard]] std::uint64_t cut_bytes() const { return cut_bytes_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  // Any number of threads may call these. Names are those of containers, below the folder.

  /// Says whether the index has this body and this header under this name, with a digest where these are wanted. If so, the
  /// entry stays in it. An entry of an index of version 1 has no header: any header counts as known there.
  bool keep_if_known(const std::string& name, const BodyFacts& shown);
  /// Says whether its entry, of an index of version 1, has no header.
  [[nodiscard]] bool lacks_header(const std::string& name) const;
  /// Adds the header of a container whose entry is kept, and that the run has opened.
  void put_header(const std::string& name, const Sha256Digest& header);
  /// Adds a container that the run has made.
  void put(const std::string& name, const BodyFacts& body);
  /// Adds an existing container that the run has opened. Returns false where the index once had its header, and has it no
  /// more. Then somebody put it back, and a recipient removed since may open it; the entry stays as it is. A header that the
  /// index never had was made by somebody who has the data key.
  [[nodiscard]] bool take_opened(const std::string& name, const BodyFacts& opened);
  /// Says whether the index has an entry of that name, for a container that the run has opened, before it changes its
  /// recipients. Throws Error (authentication) where the entry is another container, or had this header and has it no more.
  [[nodiscard]] bool admit_opened(const std::string& name, const BodyFacts& opened);
  /// Drops a container that the run has removed.
  void remove(const std::string& name);
  [[nodiscard]] bool has_put(const std::string& name) const;   ///< the run has put or kept it
  [[nodiscard]] bool contains(const std::string& name) const;  ///< there is an entry of that name, whatever it says

  /// Says whether it has entries, and nothing is there for any of them. Then it is that of another folder, or a disk is
  /// missing.
  using IsThere = std::function<bool(const std::string& name)>;
  [[nodiscard]] bool is_of_other_folder(const IsThere& is_there) const;

  /// Drops names that the run has not put or kept, and whose containers are gone. A name stays where that cannot be known.
  void forget_missing(const IsThere& is_there);
  /// Does this where the options ask for it.
  void forget_where_asked(const IsThere& is_there) {
    if (options_.forget) forget_missing(is_there);
  }

  /// Lists, by names, headers that differed from the index's: those that take_opened took, and those that it refused.
  struct StrangeHeaders {
    std::set<std::string> taken{}, older{};
  };
  [[nodiscard]] StrangeHeaders strange_headers() const;

  /// Appends the segment and makes it durable, once. Throws Error (runtime): then the index is as it was.
  [[nodiscard]] IndexGeneration finish();

 private:
  void open();
  void require_name() const;
  [[nodiscard]] bool has_other_header(const std::string& name, const BodyFacts& body) const;
  [[nodiscard]] bool is_former_header(const BodyFacts& body);
  void put_entry(const std::string& name, const BodyFacts& body);
  [[nodiscard]] bool is_to_be_whole() const;
  [[nodiscard]] IndexHead new_head(bool is_whole) const;
  void append(const IndexHead& head);
  using Act = std::function<void(const std::string& name, const std::optional<BodyFacts>& body)>;
  void for_each_new(bool is_whole, const Act& act) const;

  TreeIndexOptions options_;
  IndexAuthenticator authenticator_;
  std::string path_;
  FileDescriptor file_;
  FileIdentity identity_;
  std::uint64_t cut_bytes_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t generation_ = 0;
  Sha256Digest digest_{};
  std::uint64_t changes_since_whole_ = 0;
  mutable std::mutex mutex_;
  IndexedTree tree_;
  std::set<std::string> gone_;  // names that have left the index in this run
  StrangeHeaders strange_;
  std::optional<std::set<Sha256Digest>> former_headers_;  // read when first needed
};

}  // namespace phalanx
