// Changing who can open a container: a new header before the same chunks, in a file that replaces the old one.
#pragma once

#include <cstdint>
#include <optional>
#include <phalanx/recipients.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "container/format/chunked_encryption.hpp"
#include "container/format/header.hpp"
#include "files/input.hpp"
#include "files/output/atomic_file.hpp"
#include "files/progress.hpp"
#include "files/protected_files.hpp"

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
  /// Follows links, opens the file, and locks its partial file; what is read from now on is what that lock protects. A
  /// partial file that a killed change left is removed; any other may be worth going on with. `needed` stays the caller's,
  /// and knows the file from now on. Throws Error: usage where the file is not a regular one or one that the run needs,
  /// where its partial file is another run's, or where the file changes meanwhile; runtime.
  HeaderChange(const std::string& file, ProtectedFiles& needed, const HeaderChangeNames& names);

  /// The container, from its beginning: to read the header, and no byte behind it.
  [[nodiscard]] Input& input() { return input_; }

  /// What was read, and the data key. Reads on to the chunks, and authenticates their length. Throws as read_prefix and
  /// SeekableMessage do.
  void unlock(UnlockedContainer container, const Options& options);
  [[nodiscard]] const Suite& suite() const { return *container_.header.suite; }

  /// Recipients by their numbers, from 1, as they were. Throws Error (usage) for one that there is not.
  void remove(const std::set<std::size_t>& numbers);
  /// Seals the data key for more of them, or for none. Throws as wrap_data_key does, and Error (usage) where nobody could
  /// open the file any more.
  void add(std::span<const Recipient> recipients);

  /// Of the chunks, which write copies.
  [[nodiscard]] std::optional<std::uint64_t> chunks_bytes() const { return input_.remaining_bytes(); }

  /// Writes the new file and replaces the old one. Throws Error: usage where another program has changed it
  /// meanwhile; runtime.
  ChangedRecipients write(Progress& progress);

 private:
  std::string path_;
  Input input_;
  HeaderChangeNames names_;
  std::optional<AtomicFile> file_;
  UnlockedContainer container_;
  std::optional<ChunkedCipher> cipher_;
  std::vector<WrappedKey> wrapped_keys_;
};

}  // namespace phalanx
