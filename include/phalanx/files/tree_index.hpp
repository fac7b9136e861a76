// The index of a folder of containers: which container has which name, authenticated, after each run over the folder.
// docs/index_format.md specifies the file and says what it binds; phalanx.hpp has the conventions. seal_tree (trees.hpp) and
// migrate_tree (migration.hpp) write it.
#pragma once

#include <phalanx/version.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <phalanx/files/cancellation.hpp>
#include <phalanx/files/container.hpp>
#include <span>
#include <string>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

inline constexpr std::size_t index_key_bytes = 32;

enum class IndexKeyKind : std::uint8_t {
  secret = 1,      ///< whoever verifies has it too: 32 uniformly random bytes
  signing = 2,     ///< Ed25519's private key, for whoever writes
  public_key = 3,  ///< its public key, for whoever verifies
};

struct IndexKey {
  IndexKeyKind kind = IndexKeyKind::secret;
  Bytes bytes{};  ///< 32 bytes, the caller's memory
};

/// A new pair of keys for signatures, of 32 bytes each. Throws Error (usage) for other sizes.
void make_index_keys(MutableBytes signing_key, MutableBytes public_key);

/// The index that a call goes by.
struct TreeIndexOptions {
  std::string path{};
  IndexKey key{};
  bool digest = false;         ///< to write: SHA-256 of each body too; needed where the key signs
  std::uint64_t at_least = 0;  ///< throw Error (authentication) where the index has fewer generations than that
  bool forget = false;         ///< to write: entries leave the index whose containers are not there any more
};

/// The last segment of an index.
struct IndexGeneration {
  std::uint64_t number = 0;          ///< counts the runs that came to their end
  std::string digest{};              ///< in hex: to be kept elsewhere, with the number
  std::uint64_t num_containers = 0;  ///< that are in the index
  std::uint64_t cut_bytes = 0;       ///< behind it, which a run that was killed had left; a run that writes cuts them off
  std::uint64_t num_without_header = 0;  ///< of the containers: a run of an earlier version put them in, without headers
  std::uint64_t num_headers_taken = 0;   ///< the run found headers that the index never had; they opened, and are in it now
  std::uint64_t num_headers_older = 0;   ///< it found headers of earlier generations that somebody had put back
};

/// What became of a name.
enum class IndexedAs : std::uint8_t {
  right = 1,    ///< the container that the index has for it
  swapped = 2,  ///< the container that the index has for `other`
  renamed = 3,  ///< its container is called `other` now
  removed = 4,  ///< there is nothing of that name
  older = 5,    ///< a container of an earlier generation: that of `other` as it was then
  changed = 6,  ///< what was never in the index, or other bytes than it says
  added = 7,    ///< not in the index
  failed = 8,   ///< its container does not open, or cannot be read
  skipped = 9,  ///< no container, and not in the index
  /// Its body is right, and its header is one that the index never had: somebody changed its recipients without the index
  /// since `generation`, or damaged it.
  header_changed = 10,
  header_older = 11,  ///< its body is right, and its header that of `generation`: who was removed since may open it again
};

struct IndexedFile {
  std::string name{};  ///< below the folder; any bytes that a name may have
  IndexedAs outcome = IndexedAs::right;
  std::string other{};                  ///< another name in the index; "" where there is none
  std::uint64_t generation = 0;         ///< of what is older; of a changed header, which gave it the one before
  ErrorCode code = ErrorCode::runtime;  ///< of one that failed
  std::string why{};                    ///< it failed, changed or was skipped, in a line
};

/// Called for each name but those that are right, in no order. What it throws ends the call.
using OnIndexedFile = std::function<void(const IndexedFile&)>;

struct TreeIndexVerification {
  CostLimits limits{};       ///< of each container
  Binding binding{};         ///< its context; names are compared with where each lies below the folder
  OnProgress on_progress{};  ///< of the bytes of containers that are read
  const Cancellation* cancellation = nullptr;
  EngineOptions engine{};
};

struct TreeIndexCounts {
  IndexGeneration generation{};
  std::uint64_t num_right = 0;
  std::uint64_t num_opened = 0;   ///< of those, whose every chunk was authenticated
  std::uint64_t num_digests = 0;  ///< of those that were not, whose digest was compared; of the rest no content was read
  std::uint64_t num_wrong = 0;    ///< swapped, renamed, removed, older and changed names, and older headers
  std::uint64_t num_added = 0;
  std::uint64_t num_failed = 0;
  std::uint64_t num_skipped = 0;
  std::uint64_t num_headers_changed = 0;  ///< of right bodies; none of them is counted as right
  std::uint64_t num_without_header = 0;   ///< of those that are right: the index says nothing of their headers
};

/// Compares every container below the folder, and every name in the index, with what the index says. Where there are
/// identities, each container is opened and authenticated to its end; where the index has a digest of its body, that is
/// compared. Reads the index while nobody writes it, and writes nothing. Throws Error: authentication where the index is not
/// authentic, is empty, or is older than `index.at_least`; wrong_key for another index key; format where it is none; usage
/// where the folder is none; runtime.
[[nodiscard]] TreeIndexCounts verify_tree_index(const std::string& folder, const TreeIndexOptions& index,
                                                std::span<const Identity> identities, const OnIndexedFile& on_file,
                                                const TreeIndexVerification& options = {});

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
