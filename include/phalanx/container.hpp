// Phalanx's container: authenticated, seekable files under keys and passphrases. docs/format.md specifies it; phalanx.hpp
// has the conventions. A container is sealed for recipients and opened by identities. `suite` is "aes-256", "aes-128",
// "serpent-256" or "twofish-256", in upper or lower case.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <phalanx/catalog.hpp>
#include <span>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace phalanx {

enum class KeyKind : std::uint8_t { key = 1, passphrase = 2 };

/// What deriving a key from a passphrase costs (scrypt, RFC 7914): 128 * 2^log2_n * r bytes of memory, and p times that of
/// work. Less than 1 MiB or more than 1 GiB of work is an Error (policy).
struct ScryptCost {
  std::uint8_t log2_n = 17;
  std::uint8_t r = 8;
  std::uint8_t p = 1;
};

/// Whom a container is sealed for: the holder of a key, or of a passphrase.
struct Recipient {
  KeyKind kind = KeyKind::key;
  Bytes secret;     ///< a uniformly random key of the suite's size, or a passphrase, not empty; the caller's memory
  ScryptCost cost;  ///< of a passphrase; unused for a key
};

/// Who opens a container. The container says what a passphrase costs.
struct Identity {
  KeyKind kind = KeyKind::key;
  Bytes secret;
};

/// What opening a container may cost in scrypt, as bytes of work: 128 * N * r * p.
struct CostLimits {
  std::uint64_t one_passphrase = std::uint64_t{1} << 30;
  std::uint64_t all_passphrases = std::uint64_t{2} << 30;  ///< summed over all derivations that are tried
};

/// The size of a container that holds plain_bytes for these recipients.
[[nodiscard]] std::uint64_t container_bytes(std::string_view suite, std::span<const Recipient> recipients,
                                            std::uint64_t plain_bytes);

/// Seals `in` under a new random key, for all the recipients, of whom there is at least one. `out` has
/// container_bytes() bytes and is disjoint from `in`.
void seal_container(std::string_view suite, std::span<const Recipient> recipients, Bytes in, MutableBytes out,
                    const Options& options = {});

/// Takes the next bytes of a container, in order; throws if it fails.
using Append = std::function<void(Bytes bytes)>;

/// Seals a stream of any length. Not for several threads at once.
class ContainerWriter {
 public:
  ContainerWriter(Append append, std::string_view suite, std::span<const Recipient> recipients, const Options& options = {});
  ~ContainerWriter();  ///< without finish, what was appended is no container: readers say that it is truncated
  ContainerWriter(ContainerWriter&&) noexcept;
  ContainerWriter& operator=(ContainerWriter&&) noexcept;

  /// Keeps less than 4 MiB until more comes. After a call that threw, the writer takes nothing more.
  void write(Bytes plain);
  /// Seals the rest. Nothing can be written afterwards.
  void finish();

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<State> state_;
};

/// Reads `out.size()` bytes at `offset` of a container; throws if it fails.
using ReadAt = std::function<void(std::uint64_t offset, MutableBytes out)>;

/// An open container, of which any part can be read. Immutable. Any number of threads may use it at once, if they may call
/// `read_at` at once.
class ContainerReader {
 public:
  /// Opens the container of `container_bytes` bytes by whichever identity fits, and authenticates its header and its length.
  /// Throws Error: wrong_key if none fits; authentication; truncated; format if it is no container, or is of a version or
  /// suite that this library does not know; usage if an identity's key has another length; policy if none fits and a
  /// passphrase was not tried, since that would cost more than the limits.
  ContainerReader(ReadAt read_at, std::uint64_t container_bytes, std::span<const Identity> identities,
                  const Options& options = {}, const CostLimits& limits = {});
  /// The same for a container in memory, which must stay as it is while there is a reader.
  ContainerReader(Bytes container, std::span<const Identity> identities, const Options& options = {},
                  const CostLimits& limits = {});
  /// The same for a file, which the reader keeps open.
  ContainerReader(const std::string& path, std::span<const Identity> identities, const Options& options = {},
                  const CostLimits& limits = {});
  ~ContainerReader();
  ContainerReader(ContainerReader&&) noexcept;
  ContainerReader& operator=(ContainerReader&&) noexcept;

  [[nodiscard]] std::uint64_t size() const;        ///< bytes of plaintext
  [[nodiscard]] const std::string& suite() const;  ///< "aes-256"

  /// The plaintext from `offset` on, out.size() bytes, all within size(). Reads and authenticates the chunks that hold them,
  /// and only those. Throws Error (authentication), which names the first chunk that is not authentic, and what `read_at`
  /// throws; `out` then holds zeros.
  void read(std::uint64_t offset, MutableBytes out) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

}  // namespace phalanx
#pragma GCC visibility pop
