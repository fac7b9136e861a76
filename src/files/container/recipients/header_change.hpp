// Changing who can open a container: a new header before the same chunks, in a file that replaces the old one; or in the
// place of the old header, where it has its size (files/container/file/header_rewrite.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <phalanx/files/recipients.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/chunked/chunked_encryption.hpp"
#include "files/container/file/header_rewrite.hpp"
#include "files/container/format/body_facts.hpp"
#include "files/container/format/header.hpp"
#include "files/system/file_identity.hpp"
#include "files/system/input.hpp"
#include "files/system/output/atomic_file.hpp"
#include "files/system/progress.hpp"
#include "files/system/protected_files.hpp"

namespace phalanx {

/// What whoever asked calls these, for messages.
struct HeaderChangeNames {
  const char* list = "list_recipients";  ///< what shows the numbers
  const char* resume = "`resume`";       ///< what goes on with a partial file that another kind of run left
  OutputSettingNames output{};           ///< of the run that began a partial file
};

/// The calls come in their order. Any of them may be the last: then the file stays as it is.
class HeaderChange {
 public:
  /// Follows links, opens the file, and locks it and its partial file: these protect what is read from now on. A
  /// partial file that a killed change left is removed; any other may be worth going on with. `needed` stays the caller's,
  /// and knows the file from now on. Throws Error: usage where the file is not a regular one or one that the run needs,
  /// where another run changes it through this name or another link, where its partial file is another run's, or where the
  /// file changes meanwhile; runtime.
  HeaderChange(const std::string& file, ProtectedFiles& needed, const HeaderChangeNames& names);

  /// The container, from its beginning: to read the header, and no byte behind it.
  [[nodiscard]] Input& input() { return input_; }

  /// Reads and opens the header. Reads on to the chunks, and authenticates their length. Throws as unlock_input, read_prefix
  /// and SeekableMessage do.
  void unlock(const HeaderOpening& opening, const EngineOptions& options);
  [[nodiscard]] const ContainerHeader& header() const { return container_.header; }
  [[nodiscard]] const Suite& suite() const { return *container_.header.suite; }

  /// Recipients by their numbers, from 1, as they were. Throws Error (usage) for one that there is not.
  void remove(const std::set<std::size_t>& numbers);
  /// Seals the data key for more of them, or for none; returns which of them, by their index, can open it already. Throws as
  /// wrap_data_key and check_labels_of do, and Error (usage) where nobody could open the file any more.
  std::vector<std::size_t> add(std::span<const Recipient> recipients, const CostLimits& limits);

  /// What an index has of the container: as it is, or as it is once it is written, by what was authenticated here. The body
  /// is not digested. Throws as authentic_body_facts does.
  [[nodiscard]] BodyFacts facts() const;

  /// How many were removed and added: where there are none, there is nothing to write.
  [[nodiscard]] std::size_t num_changes() const { return num_added_ + num_removed_; }

  /// Of the chunks, which write copies, unless the new header has the size of the old one.
  [[nodiscard]] std::optional<std::uint64_t> chunks_bytes() const { return input_.remaining_bytes(); }

  /// Writes the new header in the place of the old one, where that has its size and the file may be written; or the new
  /// file, which replaces the old one. Throws Error: usage where another program has changed it meanwhile; runtime.
  ChangedRecipients write(Progress& progress);

 private:
  [[nodiscard]] bool can_open_already(const Recipient& recipient, const CostLimits& limits) const;
  [[nodiscard]] std::optional<ChangedRecipients> write_in_place(const ContainerHeader& header);

  std::string path_;
  Input input_;
  FileDescriptor locked_;  // FILE once more, for writing; closed where that is not allowed
  FileStamp seen_;         // from where on nobody else may change it
  HeaderChangeNames names_;
  std::optional<AtomicFile> file_;
  UnlockedContainer container_;
  std::optional<ChunkedCipher> cipher_;
  std::vector<WrappedKey> wrapped_keys_;
  std::vector<std::uint8_t> header_bytes_;  // as they are, or were written
  std::size_t num_added_ = 0, num_removed_ = 0;
};

/// The numbers, from 1, of the recipients that any of these identities is.
[[nodiscard]] std::vector<std::size_t> recipients_opened_by(const ContainerHeader& header,
                                                            std::span<const Identity> identities, const CostLimits& limits);

/// Makes all these changes to what is unlocked, and writes, if they change anything. Throws as the calls of HeaderChange do,
/// and Error (usage) for an identity to be removed that is nobody's.
ChangedRecipients apply(HeaderChange& change, const RecipientChanges& changes, const CostLimits& limits, Progress& progress);

}  // namespace phalanx
