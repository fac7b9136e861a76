// A change of recipients puts a new header before the same chunks, in a file that replaces the old one. If the new header
// has the size of the old one, it takes its place in the same file (files/container/file/header_rewrite.hpp).
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

/// Names these settings as the caller does, for messages.
struct HeaderChangeNames {
  const char* list = "list_recipients";  ///< shows the numbers
  const char* resume = "`resume`";       ///< goes on with a partial file that another kind of run left
  OutputSettingNames output{};           ///< settings of the run that began a partial file
};

/// The calls come in their order. Any of them may be the last: then the file stays as it is.
class HeaderChange {
 public:
  /// Follows symbolic links, opens the file, and locks it and its partial file. The locks protect everything that is read
  /// from now on. A partial file of a killed change is removed; any other may be worth going on with. `needed` stays the
  /// caller's, and knows the file from now on. Throws Error: runtime, and usage in these cases:
  /// - the file is not a regular one, or is one that the run needs
  /// - another run changes it through this name or another link, or has its partial file
  /// - the file changes meanwhile
  HeaderChange(const std::string& file, ProtectedFiles& needed, const HeaderChangeNames& names);

  /// Returns the container, from its beginning, to read the header, and no byte behind it.
  [[nodiscard]] Input& input() { return input_; }

  /// Reads and opens the header. Reads on to the chunks, and authenticates their length. Throws as unlock_input, read_prefix
  /// and SeekableMessage do.
  void unlock(const HeaderOpening& opening, const EngineOptions& options);
  [[nodiscard]] const ContainerHeader& header() const { return container_.header; }
  [[nodiscard]] const Suite& suite() const { return *container_.header.suite; }

  /// Removes recipients by their numbers before the change, from 1. Throws Error (usage) for a number that no recipient has.
  void remove(const std::set<std::size_t>& numbers);
  /// Seals the data key for more recipients, or for none. Returns which of them, by their index, can open it already. Throws
  /// as wrap_data_key and check_labels_of do, and Error (usage) where nobody could open the file any more.
  std::vector<std::size_t> add(std::span<const Recipient> recipients, const CostLimits& limits);

  /// Returns an index's facts of the container, as it is, or as it is once it is written, from authenticated data. The body
  /// is not digested. Throws as authentic_body_facts does.
  [[nodiscard]] BodyFacts facts() const;

  /// Counts the removed and added recipients: if there are none, there is nothing to write.
  [[nodiscard]] std::size_t num_changes() const { return num_added_ + num_removed_; }

  /// Returns the size of the chunks, which write copies, unless the new header has the size of the old one.
  [[nodiscard]] std::optional<std::uint64_t> chunks_bytes() const { return input_.remaining_bytes(); }

  /// Writes the new header in the place of the old one, where it has its size and the file may be written. Otherwise it
  /// writes a new file, which replaces the old one. Throws Error: usage where another program has changed the file
  /// meanwhile; runtime.
  ChangedRecipients write(Progress& progress);

 private:
  [[nodiscard]] bool can_open_already(const Recipient& recipient, const CostLimits& limits) const;
  [[nodiscard]] std::optional<ChangedRecipients> write_in_place(const ContainerHeader& header);

  std::string path_;
  Input input_;
  FileDescriptor locked_;  // FILE once more, for writing; closed where that is not allowed
  FileStamp seen_;         // the file's stamp, from when on nobody else may change it
  HeaderChangeNames names_;
  std::optional<AtomicFile> file_;
  UnlockedContainer container_;
  std::optional<ChunkedCipher> cipher_;
  std::vector<WrappedKey> wrapped_keys_;
  std::vector<std::uint8_t> header_bytes_;  // the header, as it is or was written
  std::size_t num_added_ = 0, num_removed_ = 0;
};

/// Returns the numbers, from 1, of the recipients that any of these identities is.
[[nodiscard]] std::vector<std::size_t> recipients_opened_by(const ContainerHeader& header,
                                                            std::span<const Identity> identities, const CostLimits& limits);

/// Returns the numbers, from 1, of all recipients that these changes remove. Throws Error (usage) for an identity to be
/// removed that opens nothing.
[[nodiscard]] std::set<std::size_t> removed_numbers(const ContainerHeader& header, const RecipientChanges& changes,
                                                    const CostLimits& limits);

/// Makes all these changes to an unlocked container, and writes, if they change anything. Throws as the calls of
/// HeaderChange and removed_numbers do.
ChangedRecipients apply(HeaderChange& change, const RecipientChanges& changes, const CostLimits& limits, Progress& progress);

}  // namespace phalanx
