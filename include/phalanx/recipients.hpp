// Who can open a container: shown without a key, and changed without sealing anything anew. phalanx.hpp has the conventions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <phalanx/cancellation.hpp>
#include <phalanx/container.hpp>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace phalanx {

/// What a header shows of a recipient. Nothing of it is authentic before somebody opens the container.
struct ListedRecipient {
  std::uint8_t kind = 0;  ///< a KeyKind as a number, or one that this version does not know
  ScryptCost cost{};      ///< of a passphrase
  /// Of a passphrase, what trying it takes: 128 * N * r * p. CostLimits say which are tried.
  std::uint64_t scrypt_bytes = 0;

  [[nodiscard]] bool is(KeyKind wanted) const { return kind == static_cast<std::uint8_t>(wanted); }
};

/// In the order of their numbers, from 1. `beginning` is that of a container: 65,611 bytes of it, or all. Throws Error:
/// format if it is no container that this version knows, truncated.
[[nodiscard]] std::vector<ListedRecipient> list_recipients(Bytes beginning);
/// The same for a file. Throws Error (runtime) too.
[[nodiscard]] std::vector<ListedRecipient> list_recipients(const std::string& path);

/// Whom to add, behind all others, and whom to remove, by the numbers of list_recipients as they are before.
struct RecipientChanges {
  std::vector<Recipient> added{};
  std::vector<std::size_t> removed{};
};

struct RecipientOptions {
  CostLimits limits{};
  OnProgress on_progress{};  ///< of the chunks, which are copied, or shared where the file system can
  const Cancellation* cancellation = nullptr;
  Options engine{};
};

struct ChangedRecipients {
  std::size_t num_recipients = 0;  ///< as they are now
  /// Hard links to the file as it was, which keep the old header: whoever was removed still opens those.
  std::uint64_t num_other_names = 0;
  std::vector<std::string> lost_attributes{};  ///< names of extended attributes that could not be kept
};

/// Writes the container at `path` (links are followed) anew beside itself, with another header and the same chunks, makes
/// that durable, and replaces it: whatever happens meanwhile, the old or the new file is there whole. Who was removed and
/// has seen the file may have kept its data key; only sealing anew shuts him out. Throws Error: as ContainerReader does;
/// usage for a number that nobody has, where nothing is to be changed, where nobody could open it any more, where another
/// run changes the file or has left it unfinished beside it; runtime.
ChangedRecipients change_recipients(const std::string& path, std::span<const Identity> identities,
                                    const RecipientChanges& changes, const RecipientOptions& options = {});

}  // namespace phalanx
#pragma GCC visibility pop
