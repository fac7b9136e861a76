// This header shows without a key who can open a container, and changes it without sealing anything anew. phalanx.hpp has
// the conventions.
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

/// Describes a recipient as a header shows it. Nothing in it is authentic before somebody opens the container.
struct ListedRecipient {
  std::uint8_t kind = 0;  ///< a KeyKind as a number, or one that this version does not know
  ScryptCost cost{};      ///< a passphrase's
  /// This is the cost of trying a passphrase, as bytes of work: 128 * N * r * p. CostLimits say which are tried.
  std::uint64_t scrypt_bytes = 0;
  /// Lists a public key's stanza types, "X25519", or none where its record is malformed, and its labels.
  std::vector<std::string> stanza_types{};
  std::vector<std::string> labels{};

  /// Says whether `kind` is `wanted`.
  [[nodiscard]] bool is(KeyKind wanted) const { return kind == static_cast<std::uint8_t>(wanted); }
};

/// Lists the recipients in the order of their numbers, from 1. `beginning` is that of a container: 65,611 bytes of it, or
/// all. Throws Error: format if it is no container that this version knows, truncated.
[[nodiscard]] std::vector<ListedRecipient> list_recipients(Bytes beginning);
/// Lists the recipients of a file. Throws Error (runtime) too.
[[nodiscard]] std::vector<ListedRecipient> list_recipients(const std::string& path);

/// Returns the numbers of those recipients that any of these identities is, whose keys may have any length. A passphrase is
/// tried on each recipient of its kind that costs no more than one passphrase may. Nothing in the result is authentic.
/// Throws as list_recipients does.
[[nodiscard]] std::vector<std::size_t> recipients_opened_by(Bytes beginning, std::span<const Identity> identities,
                                                            const CostLimits& limits = {});
[[nodiscard]] std::vector<std::size_t> recipients_opened_by(const std::string& path, std::span<const Identity> identities,
                                                            const CostLimits& limits = {});

/// Says whom to add, behind all others, and whom to remove, by the numbers that list_recipients gives before the change.
struct RecipientChanges {
  std::vector<Recipient> added{};
  std::vector<std::size_t> removed{};
  /// Removes the recipients that one of these is, too, whatever their number.
  std::vector<Identity> removed_by{};
};

struct RecipientOptions {
  CostLimits limits{};
  /// Its name is compared as it is for unsealing, since an added recipient could read a file that took its place.
  Binding binding{};
  OnProgress on_progress{};  ///< is told of the chunks, which are copied, or shared where the file system can
  const Cancellation* cancellation = nullptr;
  EngineOptions engine{};
};

struct ChangedRecipients {
  std::size_t num_recipients = 0;  ///< after the change
  std::size_t num_changes = 0;     ///< how many recipients were added and removed
  /// Counts hard links to the file as it was, which keep the old header: a removed recipient still opens those.
  std::uint64_t num_other_names = 0;
  std::vector<std::string> lost_attributes{};  ///< names of extended attributes that could not be kept
  /// Lists the added ones, by their index, who could open it already. They are not added once more. For public keys that is
  /// not known. If nothing changes, the file stays as it is.
  std::vector<std::size_t> already{};
  bool in_place = false;  ///< the new header took the place of the old one
};

/// Gives the container at `path` another header before the same chunks. Symbolic links are followed. The time of the file
/// stays.
///
/// If as many recipients of each kind are added as removed, the new header has the size of the old one and takes its place.
/// The file PATH.phalanx-header holds both meanwhile. So whatever happens the container opens by the one or the other, with
/// any reader of this version. Otherwise the container is written anew beside itself, made durable, and replaced. Whatever
/// happens meanwhile, the old or the new file is there whole.
///
/// A removed recipient who has seen the file, or has a copy of it, may have kept its data key. Only sealing anew shuts him
/// out.
///
/// Throws Error as ContainerReader does, and with these codes:
/// - usage, for the changes: no recipient has a number, an identity to be removed opens nothing, nothing is to be changed,
///   or nobody could open the file any more
/// - usage, for the file: another run changes it, or has left it unfinished beside it
/// - runtime: a disk fails, or the call is cancelled
[[nodiscard]] ChangedRecipients change_recipients(const std::string& path, std::span<const Identity> identities,
                                                  const RecipientChanges& changes, const RecipientOptions& options = {});

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
