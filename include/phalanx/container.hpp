// Phalanx's container: authenticated, seekable files under keys and passphrases. docs/format.md specifies it; phalanx.hpp has the
// conventions. Recipients seal, identities open. `suite` is "aes-256", "aes-128", "serpent-256" or "twofish-256", case ignored.
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

/// What deriving a key from a passphrase costs (scrypt, RFC 7914): 128 * 2^log2_n * r bytes of memory, and p times that of work.
/// From 1 MiB to 1 GiB of work, or an Error (policy).
struct ScryptCost {
  std::uint8_t log2_n = 17;
  std::uint8_t r = 8;
  std::uint8_t p = 1;
};

/// Whom a container is sealed for: the holder of a key, or of a passphrase.
struct Recipient {
  KeyKind kind = KeyKind::key;
  Bytes secret;  ///< a key of the suite's length, uniformly random; or a passphrase, any bytes but none. The caller's memory
  ScryptCost cost;  ///< of a passphrase
};

/// Who opens a container. Its cost is the container's.
struct Identity {
  KeyKind kind = KeyKind::key;
  Bytes secret;
};

/// What opening a container may cost in scrypt, in bytes of 128 * N * r * p.
struct CostLimits {
  std::uint64_t one_passphrase = std::uint64_t{1} << 30;
  std::uint64_t all_passphrases = std::uint64_t{2} << 30;  ///< summed over all derivations that are tried
};

/// The size of the container of so many bytes for these recipients.
[[nodiscard]] std::uint64_t container_bytes(std::string_view suite, std::span<const Recipient> recipients,
                                            std::uint64_t plain_bytes);

/// Seals `in` for all the recipients, 1 at least, under a new random key. `out` is container_bytes() long and disjoint from `in`.
void seal_container(std::string_view suite, std::span<const Recipient> recipients, Bytes in, MutableBytes out,
                    const Options& options = {});

/// Takes the bytes of a container in their order; fails by throwing.
using Append = std::function<void(Bytes bytes)>;

/// Seals what comes, of any length. One thread at a time.
class ContainerWriter {
 public:
  ContainerWriter(Append append, std::string_view suite, std::span<const Recipient> recipients, const Options& options = {});
  ~ContainerWriter();  ///< without finish: what was appended is no container, and readers say that it is truncated
  ContainerWriter(ContainerWriter&&) noexcept;
  ContainerWriter& operator=(ContainerWriter&&) noexcept;

  /// Keeps less than 4 MiB until more comes. A writer whose call has thrown takes nothing more.
  void write(Bytes plain);
  /// Seals the rest; nothing can be written afterwards.
  void finish();

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<State> state_;
};

/// Reads `out.size()` bytes at `offset` of a container; fails by throwing.
using ReadAt = std::function<void(std::uint64_t offset, MutableBytes out)>;

/// An open container, for reading any part of it. Immutable; any number of threads may use it at once if `read_at` may be called
/// so.
class ContainerReader {
 public:
  /// Opens the container of `container_bytes` bytes as any of the identities, and authenticates its header and its length.
  /// Throws Error: wrong_key if none of them opens it, authentication, truncated, usage (no container of a version and suite
  /// that this library knows), policy (none opens it, and a passphrase was not tried, since it would cost more than the limits).
  ContainerReader(ReadAt read_at, std::uint64_t container_bytes, std::span<const Identity> identities,
                  const Options& options = {}, const CostLimits& limits = {});
  /// The same of a container in memory, which must stay while it is read.
  ContainerReader(Bytes container, std::span<const Identity> identities, const Options& options = {},
                  const CostLimits& limits = {});
  /// The same of a file, which stays open.
  ContainerReader(const std::string& path, std::span<const Identity> identities, const Options& options = {},
                  const CostLimits& limits = {});
  ~ContainerReader();
  ContainerReader(ContainerReader&&) noexcept;
  ContainerReader& operator=(ContainerReader&&) noexcept;

  [[nodiscard]] std::uint64_t size() const;        ///< bytes of plaintext
  [[nodiscard]] const std::string& suite() const;  ///< "aes-256"

  /// The plaintext from `offset` on, out.size() bytes, all within size(). Reads and authenticates the chunks that hold them, and
  /// only those. Throws Error (authentication), which names the first chunk that is not authentic: `out` then holds zeros.
  void read(std::uint64_t offset, MutableBytes out) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

}  // namespace phalanx
#pragma GCC visibility pop
