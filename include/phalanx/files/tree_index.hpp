// This header has the index of a folder of containers. After each run over the folder it says, authenticated, which
// container has which name. docs/index_format.md specifies the file and says what it binds; phalanx.hpp has the conventions.
// seal_tree (trees.hpp) and migrate_tree (migration.hpp) write it.
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
  secret = 1,      ///< the verifier has it too: 32 uniformly random bytes
  signing = 2,     ///< Ed25519's private key, for the writer
  public_key = 3,  ///< its public key, for the verifier
};

struct IndexKey {
  IndexKeyKind kind = IndexKeyKind::secret;
  Bytes bytes{};  ///< 32 bytes, the caller's memory
};

/// Makes a new pair of keys for signatures, of 32 bytes each. Throws Error (usage) for other sizes.
void make_index_keys(MutableBytes signing_key, MutableBytes public_key);

/// Names the index of a call, and its key.
struct TreeIndexOptions {
  std::string path{};
  IndexKey key{};
  bool digest = false;         ///< to write: SHA-256 of each body too; needed where the key signs
  std::uint64_t at_least = 0;  ///< throw Error (authentication) where the index has fewer generations than that
  bool forget = false;         ///< to write: drop entries whose containers are not there any more
};

/// Describes the last segment of an index.
struct IndexGeneration {
  std::uint64_t number = 0;              ///< counts the runs that came to their end
  std::string digest{};                  ///< in hex: to be kept elsewhere, with the number
  std::uint64_t num_containers = 0;      ///< containers in the index
  std::uint64_t cut_bytes = 0;           ///< bytes behind it, which a killed run had left; a run that writes cuts them off
  std::uint64_t num_without_header = 0;  ///< containers that a run of an earlier version put in, without headers
  std::uint64_t num_headers_taken = 0;   ///< headers that the index never had; they opened, and are in it now
  std::uint64_t num_headers_older = 0;   ///< headers of earlier generations that somebody had put back
};

/// This is the result for one name.
enum class IndexedAs : std::uint8_t {
  right = 1,    ///< the container that the index has for it
  swapped = 2,  ///< the container that the index has for `other`
  renamed = 3,  ///< its container is called `other` now
  removed = 4,  ///< there is nothing of that name
  older = 5,    ///< a container of an earlier generation, which `other` had then
  changed = 6,  ///< a file that was never in the index, or has other bytes than it says
  added = 7,    ///< not in the index
  failed = 8,   ///< its container does not open, or cannot be read
  skipped = 9,  ///< no container, and not in the index
  /// Its body is right, and the index never had its header: somebody changed its recipients without the index since
  /// `generation`, or damaged it.
  header_changed = 10,
  /// Its body is right, and its header that of `generation`: a recipient removed since may open it again.
  header_older = 11,
};

struct IndexedFile {
  std::string name{};  ///< below the folder; any bytes that a name may have
  IndexedAs outcome = IndexedAs::right;
  std::string other{};  ///< another name in the index; "" where there is none
  /// This is the generation of an older one. For a changed header it is the one that gave it the header before.
  std::uint64_t generation = 0;
  ErrorCode code = ErrorCode::runtime;  ///< set for one that failed
  std::string why{};                    ///< why it failed, changed or was skipped, in a line
};

/// This is called for each name but those that are right, in no order. If it throws, the call ends.
using OnIndexedFile = std::function<void(const IndexedFile&)>;

struct TreeIndexVerification {
  CostLimits limits{};       ///< for each container
  Binding binding{};         ///< the context; names are compared with the place of each below the folder
  OnProgress on_progress{};  ///< is told of the bytes of containers that are read
  const Cancellation* cancellation = nullptr;
  EngineOptions engine{};
};

struct TreeIndexCounts {
  IndexGeneration generation{};
  std::uint64_t num_right = 0;
  std::uint64_t num_opened = 0;   ///< of the right ones, those whose every chunk was authenticated
  std::uint64_t num_digests = 0;  ///< of the right ones that were not opened, those whose digest was compared
  std::uint64_t num_wrong = 0;    ///< swapped, renamed, removed, older and changed names, and older headers
  std::uint64_t num_added = 0;
  std::uint64_t num_failed = 0;
  std::uint64_t num_skipped = 0;
  std::uint64_t num_headers_changed = 0;  ///< bodies that are right below a changed header; none of them is counted as right
  std::uint64_t num_without_header = 0;   ///< right ones whose header is not in the index
};

/// Compares every container below the folder, and every name in the index, with what the index says. If there are
/// identities, each container is opened and authenticated to its end. If the index has a digest of a body, the call compares
/// it. Reads the index while nobody writes it, and writes nothing. Throws Error with these codes:
/// - authentication: the index is not authentic, is empty, or is older than `index.at_least`
/// - wrong_key: the index has another key
/// - format: it is no index
/// - usage: the folder is no folder
/// - runtime: a file cannot be read, or the call is cancelled
[[nodiscard]] TreeIndexCounts verify_tree_index(const std::string& folder, const TreeIndexOptions& index,
                                                std::span<const Identity> identities, const OnIndexedFile& on_file,
                                                const TreeIndexVerification& options = {});

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
