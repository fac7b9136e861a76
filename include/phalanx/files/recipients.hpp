// Who can open a container: shown without a key, and changed without sealing anything anew. phalanx.hpp has the conventions.
#pragma once

#include <phalanx/version.h>

#include <cstddef>
#include <cstdint>
#include <phalanx/files/cancellation.hpp>
#include <phalanx/files/container.hpp>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// What a header shows of a recipient. Nothing of it is authentic before somebody opens the container.
struct ListedRecipient {
  std::uint8_t kind = 0;  ///< a KeyKind as a number, or one that this version does not know
  ScryptCost cost{};      ///< of a passphrase
  /// Of a passphrase, what trying it takes: 128 * N * r * p. CostLimits say which are tried.
  std::uint64_t scrypt_bytes = 0;
  /// Of a public key: the types of its stanzas, "X25519", none where its record is malformed; and their labels.
  std::vector<std::string> stanza_types{};
  std::vector<std::string> labels{};

  /// Whether `kind` is that.
  [[nodiscard]] bool is(KeyKind wanted) const { return kind == static_cast<std::uint8_t>(wanted); }
};

/// In the order of their numbers, from 1. `beginning` is that of a container: 65,611 bytes of it, or all. Throws Error:
/// format if it is no container that this version knows, truncated.
[[nodiscard]] std::vector<ListedRecipient> list_recipients(Bytes beginning);
/// The same for a file. Throws Error (runtime) too.
[[nodiscard]] std::vector<ListedRecipient> list_recipients(const std::string& path);

/// The numbers of those recipients that any of these identities is, whose keys may have any length. A passphrase is tried on
/// each recipient of its kind that costs no more than one passphrase may. Nothing of it is authentic either. Throws as
/// list_recipients does.
[[nodiscard]] std::vector<std::size_t> recipients_opened_by(Bytes beginning, std::span<const Identity> identities,
                                                            const CostLimits& limits = {});
[[nodiscard]] std::vector<std::size_t> recipients_opened_by(const std::string& path, std::span<const Identity> identities,
                                                            const CostLimits& limits = {});

/// Whom to add, behind all others, and whom to remove, by the numbers of list_recipients as they are before.
struct RecipientChanges {
  std::vector<Recipient> added{};
  std::vector<std::size_t> removed{};
  /// And those that one of these is, whatever their number.
  std::vector<Identity> removed_by{};
};

struct RecipientOptions {
  CostLimits limits{};
  Binding binding{};         ///< compared as where it is unsealed, since whoever is added could read what took its place
  OnProgress on_progress{};  ///< of the chunks, which are copied, or shared where the file system can
  const Cancellation* cancellation = nullptr;
  EngineOptions engine{};
};

struct ChangedRecipients {
  std::size_t num_recipients = 0;  ///< as they are now
  std::size_t num_changes = 0;     ///< of those that were added and removed
  /// Hard links to the file as it was, which keep the old header: whoever was removed still opens those.
  std::uint64_t num_other_names = 0;
  std::vector<std::string> lost_attributes{};  ///< names of extended attributes that could not be kept
  /// Which of the added, by their index, could open it already: they are not added once more; of public keys that is not
  /// known. Where nothing changes, the file stays as it is.
  std::vector<std::size_t> already{};
  bool in_place = false;  ///< the new header took the place of the old one
};

/// Gives the container at `path` (links are followed) another header before the same chunks. Where that has the size of
/// the old one, since as many of each kind are added as removed, it takes its place: the file PATH.phalanx-header holds
/// both meanwhile, so that whatever happens the container opens by the one or the other, with any reader of this version.
/// Else the container is written anew beside itself, made durable, and replaced: whatever happens meanwhile, the old or
/// the new file is there whole. The time of the file stays. Who was removed and has seen the file, or has a copy of it,
/// may have kept its data key; only sealing anew shuts him out. Throws Error: as ContainerReader does; usage for a number
/// that nobody has, for an identity to be removed that is nobody's, where nothing is to be changed, where nobody could
/// open it any more, where another run changes the file or has left it unfinished beside it; runtime.
[[nodiscard]] ChangedRecipients change_recipients(const std::string& path, std::span<const Identity> identities,
                                                  const RecipientChanges& changes, const RecipientOptions& options = {});

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
